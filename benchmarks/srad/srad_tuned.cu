/*
 * SRAD: smooths a speckled image by diffusion that stops at edges. The tuned CUDA form.
 *
 * A step is one launch, which reads each pixel once, but for the edges of tiles, and writes it once:
 * it adds up what it writes for the unevenness that the next step needs, and the host waits for no
 * sum. A warp goes down ROWS rows of 128 columns, four a lane, read and written four at a time; five
 * rows of pixels and two of coefficients are in registers. Neighbours in a row come from the next
 * lane by a shuffle. Tiles overlap by the columns of one lane at each edge, and a row that is needed
 * in the next round is under way in this one.
 *
 * Beyond the rim the pixels of the rim go on, so that no cell is a special case: where a pixel is
 * its own neighbour nothing flows, whatever the coefficient there.
 *
 * usage: srad_tuned STEPS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "image.h"

#ifndef ROWS
#define ROWS 16 /* rows that a warp goes down */
#endif
#ifndef WARPS
#define WARPS 4 /* warps of a block, one above the other */
#endif
#if ROWS < 1 || WARPS < 1 || WARPS > 32
#error "a block has 1 to 32 warps"
#endif
#define CELLS 4 /* columns of a thread */
#define INNER_COLUMNS (30 * CELLS)
#define THREADS (32 * WARPS)

/* Sums of the intensities of an image, and of their squares. */
struct sums {
    double of_values, of_squares;
};

/* Four pixels of a row; beyond the rim those of the rim. */
struct pixels {
    float of[CELLS];
};

__device__ static struct pixels fetch(const float *now, int row, int rows, int column, int columns)
{
    const float *start = now + (size_t)min(row, rows - 1) * columns;
    struct pixels read;
    if (columns % CELLS == 0 && column >= 0 && column < columns) {
        const float4 all = *(const float4 *)(start + column);
        read.of[0] = all.x, read.of[1] = all.y, read.of[2] = all.z, read.of[3] = all.w;
        return read;
    }
#pragma unroll
    for (int k = 0; k < CELLS; k++)
        read.of[k] = start[min(max(column + k, 0), columns - 1)];
    return read;
}

__device__ static void store(float *row, const float (&values)[CELLS], int column, int columns)
{
    if (columns % CELLS == 0 && column < columns) {
        *(float4 *)(row + column) = make_float4(values[0], values[1], values[2], values[3]);
        return;
    }
    for (int k = 0; k < CELLS; k++)
        if (column + k < columns)
            row[column + k] = values[k];
}

/* What the neighbour to the west, or to the east, has, for each of four pixels. */
__device__ static void west_of(float (&west)[CELLS], struct pixels here)
{
    west[0] = __shfl_up_sync(WHOLE_WARP, here.of[CELLS - 1], 1);
#pragma unroll
    for (int k = 1; k < CELLS; k++)
        west[k] = here.of[k - 1];
}

__device__ static void east_of(float (&east)[CELLS], struct pixels here)
{
    east[CELLS - 1] = __shfl_down_sync(WHOLE_WARP, here.of[0], 1);
#pragma unroll
    for (int k = 1; k < CELLS; k++)
        east[k - 1] = here.of[k];
}

/* The coefficients of four pixels. */
__device__ static struct pixels coefficients(struct pixels north, struct pixels here,
                                             struct pixels south, float uneven)
{
    struct pixels computed;
    float west[CELLS], east[CELLS];
    west_of(west, here);
    east_of(east, here);
#pragma unroll
    for (int k = 0; k < CELLS; k++) {
        const float own = here.of[k];
        computed.of[k] = diffusion(own, north.of[k] - own, south.of[k] - own, west[k] - own,
                                   east[k] - own, uneven);
    }
    return computed;
}

/* Adds what all threads of the block have to `to`. */
__device__ static void add(struct sums own, struct sums *to)
{
    __shared__ struct sums of_warps[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 16; distance > 0; distance /= 2) {
        own.of_values += __shfl_xor_sync(WHOLE_WARP, own.of_values, distance);
        own.of_squares += __shfl_xor_sync(WHOLE_WARP, own.of_squares, distance);
    }
    if (lane == 0)
        of_warps[warp] = own;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int other = 1; other < WARPS; other++) {
        own.of_values += of_warps[other].of_values;
        own.of_squares += of_warps[other].of_squares;
    }
    atomicAdd(&to->of_values, own.of_values);
    atomicAdd(&to->of_squares, own.of_squares);
}

/* Adds the sums of all intensities to `sums`. */
__global__ void __launch_bounds__(THREADS)
    measure(int pixels, const float *__restrict__ now, struct sums *__restrict__ sums)
{
    struct sums own = {0.0, 0.0};
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < pixels; i += gridDim.x * THREADS) {
        const float here = now[i];
        own.of_values += here;
        own.of_squares += here * here;
    }
    add(own, sums);
}

/*
 * One step: the intensities `next` from the intensities `now`, whose sums are `sums`. Those of
 * `next` are added to `next_sums`; `free_sums` become 0 for the step after.
 */
__global__ void __launch_bounds__(THREADS)
    diffuse(int rows, int columns, const float *__restrict__ now, float *__restrict__ next,
            const struct sums *__restrict__ sums, struct sums *__restrict__ next_sums,
            struct sums *__restrict__ free_sums)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int column = (int)blockIdx.x * INNER_COLUMNS + (lane - 1) * CELLS;
    const int first = ((int)blockIdx.y * WARPS + warp) * ROWS, end = min(first + ROWS, rows);
    const bool is_inner = lane > 0 && lane < 31;
    const float uneven = unevenness((size_t)rows * columns, sums->of_values, sums->of_squares);
    struct sums own_sums = {0.0, 0.0};
    struct pixels north = fetch(now, max(first - 1, 0), rows, column, columns);
    struct pixels here = fetch(now, first, rows, column, columns);
    struct pixels south = fetch(now, first + 1, rows, column, columns);
    struct pixels beyond = fetch(now, first + 2, rows, column, columns);
    struct pixels own = coefficients(north, here, south, uneven);

    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)
        *free_sums = {0.0, 0.0};
    for (int row = first; row < end; row++) { /* as many rounds for the whole warp */
        const struct pixels coming = fetch(now, row + 3, rows, column, columns);
        const struct pixels below = coefficients(here, south, beyond, uneven);
        float west[CELLS], east[CELLS], of_east[CELLS], values[CELLS];
        west_of(west, here);
        east_of(east, here);
        east_of(of_east, own);
#pragma unroll
        for (int k = 0; k < CELLS; k++) {
            const float value = here.of[k];
            const float flow = own.of[k] * (north.of[k] - value) +
                               below.of[k] * (south.of[k] - value) +
                               own.of[k] * (west[k] - value) + of_east[k] * (east[k] - value);
            values[k] = value + 0.25f * LAMBDA * flow;
            if (is_inner && column + k < columns) {
                own_sums.of_values += values[k];
                own_sums.of_squares += values[k] * values[k];
            }
        }
        if (is_inner)
            store(next + (size_t)row * columns, values, column, columns);
        north = here;
        here = south;
        south = beyond;
        beyond = coming;
        own = below;
    }
    add(own_sums, next_sums);
}

/* All steps on the device; `intensities` has the first and gets the last. */
static void simulate(const struct run *run, float *intensities)
{
    const size_t pixels = run_pixels(run);
    device_array<float> now(intensities, pixels);
    device_array<float> next(pixels);
    device_array<struct sums> sums(3); /* they take turns */
    const dim3 grid(blocks_for(run->columns, INNER_COLUMNS), blocks_for(run->rows, WARPS * ROWS));
    const int measuring = min(blocks_for((int)pixels, THREADS), 1024);

    sums.clear();
    if (run->steps > 0)
        device_launch("measure", [&] { measure<<<measuring, THREADS>>>((int)pixels, now, sums); });
    for (int step = 0; step < run->steps; step++) {
        device_launch("diffuse", [&] {
            diffuse<<<grid, THREADS>>>(run->rows, run->columns, now, next, sums + step % 3,
                                       sums + (step + 1) % 3, sums + (step + 2) % 3);
        });
        now.swap(next);
    }
    now.download(intensities);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run, run.intensities);
    run_report(&run, run.intensities, clock_seconds() - start);
    free(run.intensities);
    return 0;
}
