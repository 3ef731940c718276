/*
 * Jacobi's method for the Laplace equation on a plate. The textbook CUDA form.
 *
 * As the fcw form: a block fetches its cells and a halo of one cell around them into shared memory,
 * and each thread computes one cell. The most that a cell changed is found by a tree in each block;
 * changes are not negative, so that their bits are in the order of their values.
 *
 * usage: jacobi_textbook ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include <math.h>

#include "plate.h"

#ifndef TILE_ROWS
#define TILE_ROWS 8 /* rows of a block */
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 32 /* columns of a block */
#endif
#if TILE_ROWS < 1 || TILE_COLUMNS < 1 || TILE_ROWS * TILE_COLUMNS > 1024
#error "a block has one thread a cell, 1024 at most"
#endif
#define THREADS (TILE_ROWS * TILE_COLUMNS)

/* One step: `next` from `now`; `change` becomes the most that a cell changed, if that is more. */
__global__ void __launch_bounds__(THREADS)
    relax(int rows, int columns, const float *__restrict__ now, float *__restrict__ next,
          int *__restrict__ change)
{
    __shared__ float tile[TILE_ROWS + 2][TILE_COLUMNS + 2];
    __shared__ float changes[THREADS];
    const int thread = threadIdx.y * TILE_COLUMNS + threadIdx.x;
    const int first_row = blockIdx.y * TILE_ROWS, first_column = blockIdx.x * TILE_COLUMNS;
    const int row = first_row + threadIdx.y + 1, column = first_column + threadIdx.x + 1;
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;

    for (int i = thread; i < (TILE_ROWS + 2) * (TILE_COLUMNS + 2); i += THREADS) {
        const int r = i / (TILE_COLUMNS + 2), c = i % (TILE_COLUMNS + 2);
        if (first_row + r < rows && first_column + c < columns)
            tile[r][c] = now[(size_t)(first_row + r) * columns + first_column + c];
    }
    __syncthreads();
    changes[thread] = 0.0f;
    if (row < rows - 1 && column < columns - 1) {
        const float mean =
            0.25f * (tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1]);
        changes[thread] = fabsf(mean - tile[y][x]);
        next[(size_t)row * columns + column] = mean;
    }
    for (int width = THREADS; width > 1; width = (width + 1) / 2) {
        const int half = (width + 1) / 2; /* the middle one of an odd number waits */
        __syncthreads();
        if (thread + half < width)
            changes[thread] = fmaxf(changes[thread], changes[thread + half]);
    }
    if (thread == 0)
        atomicMax(change, __float_as_int(changes[0]));
}

/* All steps on the device; the last values, and the most that a cell changed in the last step. */
static float solve(const struct run *run)
{
    const size_t cells = (size_t)run->rows * (size_t)run->columns;
    device_array<float> now(run->front, cells);
    device_array<float> next(run->back, cells);
    device_array<int> change(1);
    int bits;
    float last = 0.0f;
    const dim3 block(TILE_COLUMNS, TILE_ROWS);
    const dim3 grid(blocks_for(max(run->columns - 2, 1), TILE_COLUMNS),
                    blocks_for(max(run->rows - 2, 1), TILE_ROWS));

    for (int step = 0; step < run->steps; step++) {
        change.clear();
        device_launch("relax", [&] {
            relax<<<grid, block>>>(run->rows, run->columns, now, next, change);
        });
        change.download(&bits);
        memcpy(&last, &bits, sizeof last);
        now.swap(next);
    }
    now.download(run->front);
    return last;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    const float change = solve(&run);
    run_finish(&run, run.front, change, clock_seconds() - start);
    return 0;
}
