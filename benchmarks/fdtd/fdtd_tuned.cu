/*
 * FDTD: electric and magnetic fields in a plane, by finite differences in time. The tuned CUDA form.
 *
 * One launch a step, which reads and writes every field once: the fields go to and fro between two
 * sets of arrays. A warp goes down ROWS rows of 31 columns; the magnetic field of the row above is in
 * a register, that of the column to the left in the next lane. The first lane, and the row above
 * the first, compute the magnetic field of neighbours only for others to use.
 *
 * usage: fdtd_tuned ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "fields.h"

#ifndef ROWS
#define ROWS 16 /* rows that a warp goes down */
#endif
#ifndef WARPS
#define WARPS 8 /* warps of a block, side by side */
#endif
#if ROWS < 1 || WARPS < 1 || WARPS > 32
#error "a block has 1 to 32 warps"
#endif
#define INNER 31 /* columns of a warp */

/* The fields of one time. */
struct fields {
    float *ex, *ey, *hz;
};

/* What a thread needs of a cell: its magnetic field and the electric one around it. */
struct cell {
    float hz, north, south, west, east;
};

__device__ static struct cell read(struct fields fields, size_t row, int column, int columns)
{
    const size_t i = row * columns + column;
    return {fields.hz[i], fields.ex[i], fields.ex[i + columns], fields.ey[i + row],
            fields.ey[i + row + 1]}; /* rows of ey are one longer */
}

/* The magnetic field of a cell a step on. */
__device__ static float magnetic(struct cell cell)
{
    return cell.hz + COURANT * ((cell.south - cell.north) - (cell.east - cell.west));
}

/* One step; along the rim the electric field stays zero. */
__global__ void __launch_bounds__(32 * WARPS)
    advance(int rows, int columns, const struct fields now, const struct fields next)
{
    const int lane = threadIdx.x;
    const int column = ((int)blockIdx.x * WARPS + (int)threadIdx.y) * INNER + lane - 1;
    const int first = blockIdx.y * ROWS, end = min(first + ROWS, rows);
    const bool inside = column >= 0 && column < columns;
    float above = 0.0f, hz = 0.0f;

    if (inside && first > 0)
        above = magnetic(read(now, first - 1, column, columns));
    for (int row = first; row < end; row++) {
        struct cell cell = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
        if (inside) {
            cell = read(now, row, column, columns);
            hz = magnetic(cell);
        }
        const float left = __shfl_up_sync(WHOLE_WARP, hz, 1);
        if (inside && lane > 0) {
            const size_t i = (size_t)row * columns + column;
            next.hz[i] = hz;
            next.ex[i] = row > 0 ? cell.north + COURANT * (hz - above) : cell.north;
            next.ey[i + row] = column > 0 ? cell.west - COURANT * (hz - left) : cell.west;
        }
        above = hz;
    }
}

/* All steps on the device. */
static void simulate(const struct run *run)
{
    const size_t ex_count = run_ex_count(run), ey_count = run_ey_count(run);
    const size_t hz_count = run_hz_count(run);
    /* Both sets have the rim that no step writes. */
    const device_array<float> ex[2] = {{run->ex, ex_count}, {run->ex, ex_count}};
    const device_array<float> ey[2] = {{run->ey, ey_count}, {run->ey, ey_count}};
    const device_array<float> hz[2] = {{run->hz, hz_count}, device_array<float>(hz_count)};
    const struct fields sets[2] = {{ex[0], ey[0], hz[0]}, {ex[1], ey[1], hz[1]}};
    const dim3 block(32, WARPS);
    const dim3 grid(blocks_for(run->columns, INNER * WARPS), blocks_for(run->rows, ROWS));

    for (int step = 0; step < run->steps; step++) {
        const struct fields now = sets[step % 2], next = sets[(step + 1) % 2];
        device_launch("advance",
                      [&] { advance<<<grid, block>>>(run->rows, run->columns, now, next); });
    }
    const int last = run->steps % 2;
    ex[last].download(run->ex);
    ey[last].download(run->ey);
    hz[last].download(run->hz);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
