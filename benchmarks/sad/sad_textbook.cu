/*
 * Sums of absolute differences, for the search for motion in a video. The textbook CUDA form.
 *
 * A block has a macroblock: it and the part of the reference that it may have come from stand in
 * shared memory, and threads take displacements in turn.
 *
 * usage: sad_textbook ROWS COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "frames.h"

#ifndef BLOCK
#define BLOCK 128 /* threads of a macroblock */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/* The sums of all blocks of 4 x 4 at all displacements. */
__global__ void __launch_bounds__(BLOCK)
    compare_blocks(const unsigned char *__restrict__ current,
                   const unsigned char *__restrict__ reference, struct sums *__restrict__ sums)
{
    __shared__ unsigned char own[MACRO][MACRO], window[WINDOW][WINDOW];
    const int row = blockIdx.y, column = blockIdx.x;
    const size_t width = MACRO * gridDim.x, wide = width + 2 * SEARCH;
    struct sums *const result = &sums[row * gridDim.x + column];

    for (int i = threadIdx.x; i < MACRO * MACRO; i += BLOCK) {
        const int y = i / MACRO, x = i % MACRO;
        own[y][x] = current[(MACRO * row + y) * width + MACRO * column + x];
    }
    for (int i = threadIdx.x; i < WINDOW * WINDOW; i += BLOCK) {
        const int y = i / WINDOW, x = i % WINDOW;
        window[y][x] = reference[(MACRO * row + y) * wide + MACRO * column + x];
    }
    __syncthreads();
    for (int p = threadIdx.x; p < POSITIONS; p += BLOCK) {
        const int down = p / SIDE, right = p % SIDE;
        for (int block = 0; block < 16; block++) {
            const int top = block / 4 * 4, left = block % 4 * 4;
            int sum = 0;
#pragma unroll
            for (int y = top; y < top + 4; y++)
#pragma unroll
                for (int x = left; x < left + 4; x++)
                    sum += abs(own[y][x] - window[y + down][x + right]);
            result->of_4[block][p] = (unsigned short)sum;
        }
    }
}

/* The sums of all blocks of 8 x 8. */
__global__ void __launch_bounds__(BLOCK) add_to_8(struct sums *__restrict__ sums)
{
    struct sums *const own = &sums[blockIdx.y];
    const int p = blockIdx.x * BLOCK + threadIdx.x;
    if (p >= POSITIONS)
        return;
    for (int quarter = 0; quarter < 4; quarter++) {
        const int block = quarter / 2 * 8 + quarter % 2 * 2;
        own->of_8[quarter][p] =
            (unsigned short)(own->of_4[block][p] + own->of_4[block + 1][p] +
                             own->of_4[block + 4][p] + own->of_4[block + 5][p]);
    }
}

/* The sums of macroblocks. */
__global__ void __launch_bounds__(BLOCK) add_to_16(struct sums *__restrict__ sums)
{
    struct sums *const own = &sums[blockIdx.y];
    const int p = blockIdx.x * BLOCK + threadIdx.x;
    if (p < POSITIONS)
        own->of_16[p] = (unsigned short)(own->of_8[0][p] + own->of_8[1][p] + own->of_8[2][p] +
                                         own->of_8[3][p]);
}

static void search(const struct run *run)
{
    const size_t count = (size_t)run->rows * run->columns;
    const size_t width = (size_t)MACRO * run->columns, height = (size_t)MACRO * run->rows;
    const device_array<unsigned char> current(run->current, height * width);
    const device_array<unsigned char> reference(
        run->reference, (height + 2 * SEARCH) * (width + 2 * SEARCH));
    const device_array<struct sums> sums(count);
    const dim3 macroblocks(run->columns, run->rows);
    const dim3 positions(blocks_for(POSITIONS, BLOCK), (unsigned)count);

    device_launch("compare_blocks",
                  [&] { compare_blocks<<<macroblocks, BLOCK>>>(current, reference, sums); });
    device_launch("add_to_8", [&] { add_to_8<<<positions, BLOCK>>>(sums); });
    device_launch("add_to_16", [&] { add_to_16<<<positions, BLOCK>>>(sums); });
    sums.download(run->sums);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    search(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
