/*
 * Pathfinder: the cheapest paths through a grid, by dynamic programming. The tuned CUDA form.
 *
 * A launch goes DEPTH rows on. A warp keeps the paths to 256 cells in registers, eight to a lane;
 * neighbours come from the next lane by a shuffle, so that warps need no shared memory and no
 * barriers. The costs of a row are read four at a time while the row before is computed. Tiles
 * overlap by GHOST cells at either end, which go out of date.
 *
 * usage: pathfinder_tuned ROWS COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include <climits>

#include "costs.h"

#ifndef DEPTH
#define DEPTH 16 /* rows that a launch goes on */
#endif
#ifndef WARPS
#define WARPS 4 /* warps of a block */
#endif
#define CELLS 8 /* of a thread */
#define GHOST ((DEPTH + CELLS - 1) / CELLS * CELLS) /* cells of whole lanes */
#define TILE (32 * CELLS)
#define INNER (TILE - 2 * GHOST)
#if DEPTH < 1 || INNER < 1 || WARPS < 1 || WARPS > 32
#error "a tile must be wider than its two ghost zones"
#endif

/* Eight values of a row from `first` on; outside of it `beyond`. */
__device__ static void fetch(int (&cells)[CELLS], const int *row, int first, int columns, int beyond)
{
    if (first >= 0 && first + CELLS <= columns && columns % 4 == 0) {
        const int4 low = *(const int4 *)(row + first), high = *(const int4 *)(row + first + 4);
        cells[0] = low.x, cells[1] = low.y, cells[2] = low.z, cells[3] = low.w;
        cells[4] = high.x, cells[5] = high.y, cells[6] = high.z, cells[7] = high.w;
        return;
    }
    for (int k = 0; k < CELLS; k++)
        cells[k] = first + k >= 0 && first + k < columns ? row[first + k] : beyond;
}

__device__ static void store(int *row, const int (&cells)[CELLS], int first, int columns)
{
    if (first + CELLS <= columns && columns % 4 == 0) {
        *(int4 *)(row + first) = make_int4(cells[0], cells[1], cells[2], cells[3]);
        *(int4 *)(row + first + 4) = make_int4(cells[4], cells[5], cells[6], cells[7]);
        return;
    }
    for (int k = 0; k < CELLS; k++)
        if (first + k < columns)
            row[first + k] = cells[k];
}

/*
 * `depth` rows on, DEPTH at most: the cheapest paths `next` from those `now`. `costs` begins with
 * the first of these rows. Beyond the ends of a row no path is the cheapest.
 */
__global__ void __launch_bounds__(32 * WARPS)
    advance(int columns, int tiles, int depth, const int *__restrict__ costs,
            const int *__restrict__ now, int *__restrict__ next)
{
    const int lane = threadIdx.x;
    const int tile = (int)blockIdx.x * WARPS + threadIdx.y;
    const int first = tile * INNER + lane * CELLS - GHOST;
    int paths[CELLS], cost[CELLS], coming[CELLS];

    if (tile >= tiles) /* the whole warp */
        return;
    fetch(paths, now, first, columns, INT_MAX);
    fetch(coming, costs, first, columns, 0);
    for (int step = 0; step < depth; step++) {
#pragma unroll
        for (int k = 0; k < CELLS; k++)
            cost[k] = coming[k];
        if (step + 1 < depth)
            fetch(coming, costs + (size_t)(step + 1) * columns, first, columns, 0);
        const int before = __shfl_up_sync(WHOLE_WARP, paths[CELLS - 1], 1);
        const int after = __shfl_down_sync(WHOLE_WARP, paths[0], 1);
        int left = before;
#pragma unroll
        for (int k = 0; k < CELLS; k++) {
            const int right = k + 1 < CELLS ? paths[(k + 1) % CELLS] : after;
            const int best = min(min(left, paths[k]), right);
            left = paths[k];
            paths[k] = best + cost[k];
            if (first + k < 0 || first + k >= columns)
                paths[k] = INT_MAX;
        }
    }
    if (lane * CELLS >= GHOST && lane * CELLS < TILE - GHOST)
        store(next, paths, first, columns);
}

/* All rows on the device: the paths to the last. */
static void find(const struct run *run, int *paths)
{
    const size_t columns = (size_t)run->columns, cells = (size_t)run->rows * columns;
    const device_array<int> costs(run->costs, cells);
    device_array<int> now(run->costs, columns);
    device_array<int> next(columns);
    const int tiles = blocks_for(run->columns, INNER);
    const int blocks = blocks_for(tiles, WARPS);
    const dim3 block(32, WARPS);

    for (int row = 1; row < run->rows; row += DEPTH) {
        const int depth = min(DEPTH, run->rows - row);
        device_launch("advance", [&] {
            advance<<<blocks, block>>>(run->columns, tiles, depth, costs + row * columns, now,
                                       next);
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
