/*
 * Jacobi's method for the Laplace equation on a plate. The tuned CUDA form.
 *
 * Every cell is read from memory once and written once, four columns a lane. A warp goes down ROWS
 * rows of 128 columns with three of them in registers; neighbours in a row come from the next lane
 * by a shuffle. The most that a cell changed is found by shuffles, with one atomic operation a
 * block, and read after the last step only, so that launches follow each other. The rims of both
 * arrays are equal and are written with the rest.
 *
 * usage: jacobi_tuned ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include <math.h>

#include "plate.h"

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
#define TILE_COLUMNS (32 * CELLS)

/* Four cells of a row; zeros beyond it. */
__device__ static void fetch(float (&cells)[CELLS], const float *row, int column, int columns)
{
    if (columns % CELLS == 0 && column < columns) {
        const float4 all = *(const float4 *)(row + column);
        cells[0] = all.x, cells[1] = all.y, cells[2] = all.z, cells[3] = all.w;
        return;
    }
    for (int k = 0; k < CELLS; k++)
        cells[k] = column + k < columns ? row[column + k] : 0.0f;
}

__device__ static void store(float *row, const float (&cells)[CELLS], int column, int columns)
{
    if (columns % CELLS == 0 && column < columns) {
        *(float4 *)(row + column) = make_float4(cells[0], cells[1], cells[2], cells[3]);
        return;
    }
    for (int k = 0; k < CELLS; k++)
        if (column + k < columns)
            row[column + k] = cells[k];
}

/* What of the values of all threads of the block is the most goes to `most`, if it is more. */
__device__ static void keep_most(float value, int *most)
{
    __shared__ float of_warps[WARPS];
    const int lane = threadIdx.x, warp = threadIdx.y;
    for (int distance = 16; distance > 0; distance /= 2)
        value = fmaxf(value, __shfl_xor_sync(WHOLE_WARP, value, distance));
    if (lane == 0)
        of_warps[warp] = value;
    __syncthreads();
    if (lane == 0 && warp == 0) {
        for (int other = 1; other < WARPS; other++)
            value = fmaxf(value, of_warps[other]);
        atomicMax(most, __float_as_int(value)); /* not negative: its bits are in order, too */
    }
}

/* One step: `next` from `now`; `change` becomes the most that a cell changed, if that is more. */
__global__ void __launch_bounds__(32 * WARPS)
    relax(int rows, int columns, const float *__restrict__ now, float *__restrict__ next,
          int *__restrict__ change)
{
    const int lane = threadIdx.x;
    const int column = blockIdx.x * TILE_COLUMNS + lane * CELLS;
    const int first = 1 + ((int)blockIdx.y * WARPS + (int)threadIdx.y) * ROWS;
    const int end = min(first + ROWS, rows - 1);
    float north[CELLS], here[CELLS], south[CELLS], most = 0.0f;

    if (first < end) {
        fetch(north, now + (size_t)(first - 1) * columns, column, columns);
        fetch(here, now + (size_t)first * columns, column, columns);
    }
    for (int row = first; row < end; row++) { /* as many rounds for the whole warp */
        const float *cells = now + (size_t)row * columns;
        fetch(south, cells + columns, column, columns);
        float before = __shfl_up_sync(WHOLE_WARP, here[CELLS - 1], 1);
        float after = __shfl_down_sync(WHOLE_WARP, here[0], 1);
        if (lane == 0 && column > 0)
            before = cells[column - 1];
        if (lane == 31 && column + CELLS < columns)
            after = cells[column + CELLS];
        float values[CELLS];
#pragma unroll
        for (int k = 0; k < CELLS; k++) {
            const float west = k > 0 ? here[(k + CELLS - 1) % CELLS] : before;
            const float east = k + 1 < CELLS ? here[(k + 1) % CELLS] : after;
            const bool inside = column + k > 0 && column + k < columns - 1;
            const float mean = 0.25f * (north[k] + south[k] + west + east);
            values[k] = inside ? mean : here[k];
            most = fmaxf(most, fabsf(values[k] - here[k]));
        }
        store(next + (size_t)row * columns, values, column, columns);
#pragma unroll
        for (int k = 0; k < CELLS; k++) {
            north[k] = here[k];
            here[k] = south[k];
        }
    }
    keep_most(most, change);
}

/* All steps on the device; the last values, and the most that a cell changed in the last step. */
static float solve(const struct run *run)
{
    const size_t cells = (size_t)run->rows * (size_t)run->columns;
    device_array<float> now(run->front, cells);
    device_array<float> next(run->back, cells);
    device_array<int> change(1);
    int bits;
    float last;
    const dim3 block(32, WARPS);
    const dim3 grid(blocks_for(run->columns, TILE_COLUMNS),
                    blocks_for(max(run->rows - 2, 1), WARPS * ROWS));

    change.clear(); /* if there is no step */
    for (int step = 0; step < run->steps; step++) {
        change.clear();
        device_launch("relax", [&] {
            relax<<<grid, block>>>(run->rows, run->columns, now, next, change);
        });
        now.swap(next);
    }
    change.download(&bits);
    memcpy(&last, &bits, sizeof last);
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
