/*
 * FDTD: electric and magnetic fields in a plane, by finite differences in time. The textbook CUDA
 * form.
 *
 * As the fcw form: a block fetches the field of its cells, and of the cells next to them on one side,
 * into shared memory; a thread computes one cell.
 *
 * usage: fdtd_textbook ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "fields.h"

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

/* The magnetic field a step on. */
__global__ void __launch_bounds__(THREADS)
    advance_magnetic(int rows, int columns, const float *__restrict__ ex,
                     const float *__restrict__ ey, float *__restrict__ hz)
{
    __shared__ float tile_x[TILE_ROWS + 1][TILE_COLUMNS], tile_y[TILE_ROWS][TILE_COLUMNS + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE_ROWS + y, column = blockIdx.x * TILE_COLUMNS + x;
    const bool inside = row < rows && column < columns;

    if (inside) {
        tile_x[y][x] = ex[(size_t)row * columns + column];
        tile_y[y][x] = ey[(size_t)row * (columns + 1) + column];
        if (y == TILE_ROWS - 1 || row == rows - 1)
            tile_x[y + 1][x] = ex[(size_t)(row + 1) * columns + column];
        if (x == TILE_COLUMNS - 1 || column == columns - 1)
            tile_y[y][x + 1] = ey[(size_t)row * (columns + 1) + column + 1];
    }
    __syncthreads();
    if (inside)
        hz[(size_t)row * columns + column] +=
            COURANT * ((tile_x[y + 1][x] - tile_x[y][x]) - (tile_y[y][x + 1] - tile_y[y][x]));
}

/* The electric field a step on; along the rim it stays zero. */
__global__ void __launch_bounds__(THREADS)
    advance_electric(int rows, int columns, const float *__restrict__ hz, float *__restrict__ ex,
                     float *__restrict__ ey)
{
    __shared__ float tile[TILE_ROWS + 1][TILE_COLUMNS + 1];
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const int row = blockIdx.y * TILE_ROWS + y - 1, column = blockIdx.x * TILE_COLUMNS + x - 1;
    const size_t i = (size_t)row * columns + column;
    const bool inside = row < rows && column < columns;

    if (inside) {
        tile[y][x] = hz[i];
        if (y == 1 && row > 0)
            tile[0][x] = hz[i - columns];
        if (x == 1 && column > 0)
            tile[y][0] = hz[i - 1];
    }
    __syncthreads();
    if (inside && row > 0)
        ex[i] += COURANT * (tile[y][x] - tile[y - 1][x]);
    if (inside && column > 0)
        ey[i + row] -= COURANT * (tile[y][x] - tile[y][x - 1]); /* its rows are one longer */
}

/* All steps on the device. */
static void simulate(const struct run *run)
{
    const size_t ex_count = run_ex_count(run), ey_count = run_ey_count(run);
    const size_t hz_count = run_hz_count(run);
    const device_array<float> ex(run->ex, ex_count);
    const device_array<float> ey(run->ey, ey_count);
    const device_array<float> hz(run->hz, hz_count);
    const dim3 block(TILE_COLUMNS, TILE_ROWS);
    const dim3 grid(blocks_for(run->columns, TILE_COLUMNS), blocks_for(run->rows, TILE_ROWS));

    for (int step = 0; step < run->steps; step++) {
        device_launch("advance_magnetic", [&] {
            advance_magnetic<<<grid, block>>>(run->rows, run->columns, ex, ey, hz);
        });
        device_launch("advance_electric", [&] {
            advance_electric<<<grid, block>>>(run->rows, run->columns, hz, ex, ey);
        });
    }
    ex.download(run->ex);
    ey.download(run->ey);
    hz.download(run->hz);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
