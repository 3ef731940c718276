/*
 * Pathfinder: the cheapest paths through a grid, by dynamic programming. The textbook CUDA form.
 *
 * As the fcw form: a launch goes DEPTH rows on, a block computes TILE cells in shared memory, one
 * cell a thread, and tiles overlap by the DEPTH cells at either end that go out of date.
 *
 * usage: pathfinder_textbook ROWS COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "costs.h"

#ifndef TILE
#define TILE 256 /* cells that a block computes, and threads of a block */
#endif
#ifndef DEPTH
#define DEPTH 8 /* rows that a launch goes on */
#endif
#if DEPTH < 1 || TILE <= 2 * DEPTH || TILE > 1024
#error "a tile must be wider than its two ghost zones, and have 1024 cells at most"
#endif

#define INNER (TILE - 2 * DEPTH)

/*
 * `depth` rows on, DEPTH at most: the cheapest paths `next` from those `now`. `costs` begins with
 * the first of these rows.
 */
__global__ void __launch_bounds__(TILE)
    advance(int columns, int depth, const int *__restrict__ costs, const int *__restrict__ now,
            int *__restrict__ next)
{
    __shared__ int paths[TILE];
    const int lane = threadIdx.x;
    const int n = (int)blockIdx.x * INNER + lane - DEPTH;
    const bool inside = n >= 0 && n < columns;

    if (inside)
        paths[lane] = now[n];
    __syncthreads();
    for (int step = 0; step < depth; step++) {
        const bool computes = inside && lane > step && lane < TILE - 1 - step;
        int best = 0;
        if (computes) {
            best = paths[lane];
            if (n > 0)
                best = min(best, paths[lane - 1]);
            if (n < columns - 1)
                best = min(best, paths[lane + 1]);
            best += costs[(size_t)step * columns + n];
        }
        __syncthreads();
        if (computes)
            paths[lane] = best;
        __syncthreads();
    }
    if (inside && lane >= DEPTH && lane < TILE - DEPTH)
        next[n] = paths[lane];
}

/* All rows on the device: the paths to the last. */
static void find(const struct run *run, int *paths)
{
    const size_t columns = (size_t)run->columns, cells = (size_t)run->rows * columns;
    const device_array<int> costs(run->costs, cells);
    device_array<int> now(run->costs, columns);
    device_array<int> next(columns);
    const int blocks = blocks_for(run->columns, INNER);

    for (int row = 1; row < run->rows; row += DEPTH) {
        const int depth = min(DEPTH, run->rows - row);
        device_launch("advance", [&] {
            advance<<<blocks, TILE>>>(run->columns, depth, costs + row * columns, now, next);
        });
        now.swap(next);
    }
    now.download(paths);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    int *paths = (int *)allocate((size_t)run.columns, sizeof *paths);
    const double start = clock_seconds();
    find(&run, paths);
    run_report(&run, paths, clock_seconds() - start);
    free(paths);
    free(run.costs);
    return 0;
}
