/*
 * Needleman-Wunsch: the best alignment of two sequences, by dynamic programming. The tuned CUDA
 * form.
 *
 * A launch does the tiles of one anti-diagonal, a block of one warp each. A lane has ROWS rows of
 * the tile, with the scores of the column before in registers, and is one column behind the lane
 * above it, whose last score it gets by a shuffle: a step does ROWS cells a lane, without barriers.
 * The similarities come by asynchronous copies, slab by slab of 32 columns, those of the next slabs
 * under way while one is used. Scores take their place in shared memory, so that whole rows are
 * written.
 *
 * usage: nw_tuned ROWS COLUMNS PENALTY SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include <cuda_pipeline.h>

#include "sequences.h"

#ifndef ROWS
#define ROWS 4 /* rows of a lane */
#endif
#ifndef SLABS
#define SLABS 2 /* of 32 columns each in a tile */
#endif
#define TILE_ROWS (32 * ROWS)
#define TILE_COLUMNS (32 * SLABS)
#if ROWS < 1 || SLABS < 1 || 4 * (TILE_ROWS + 1) * TILE_COLUMNS > 48 * 1024
#error "a tile and the row above it must fit in 48 KB of shared memory"
#endif

/* Begins to copy one value, or zero where there is none. */
__device__ static void fetch(int *to, const int *matrix, size_t at, bool inside)
{
    __pipeline_memcpy_async(to, matrix + (inside ? at : 0), sizeof *to, inside ? 0 : sizeof *to);
}

/*
 * The scores of the tiles (top + block, diagonal - top - block). Beyond the matrix the similarities
 * are zero, and what comes of them stays there.
 */
__global__ void __launch_bounds__(32)
    advance(int rows, int columns, int penalty, int diagonal, int top, const int *similarity,
            int *score)
{
    __shared__ int above[TILE_COLUMNS];
    __shared__ int cells[TILE_ROWS][TILE_COLUMNS]; /* similarities, then scores */
    const int lane = threadIdx.x, tile = top + (int)blockIdx.x;
    const int row = tile * TILE_ROWS + 1, column = (diagonal - tile) * TILE_COLUMNS + 1;
    const int height = min(TILE_ROWS, rows + 1 - row);
    const size_t stride = (size_t)columns + 1;
    int before[ROWS]; /* the scores of the lane's rows in the column before */

#pragma unroll
    for (int slab = 0; slab < SLABS; slab++) {
        const int x = slab * 32 + lane;
        const bool inside = column + x <= columns;
        fetch(&above[x], score, (row - 1) * stride + column + x, inside);
#pragma unroll 8
        for (int y = 0; y < TILE_ROWS; y++)
            fetch(&cells[y][x], similarity, (row + y) * stride + column + x, inside && y < height);
        __pipeline_commit();
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = lane * ROWS + r;
        before[r] = y < height ? score[(row + y) * stride + column - 1] : 0;
    }
    int northwest = lane == 0 ? score[(row - 1) * stride + column - 1] : 0;
#pragma unroll
    for (int slab = 0; slab <= SLABS; slab++) { /* the last one for the lanes that are behind */
        __pipeline_wait_prior(slab < SLABS ? SLABS - 1 - slab : 0);
        __syncwarp();
        for (int step = slab * 32; step < slab * 32 + 32; step++) {
            const int x = step - lane;
            int north = __shfl_up_sync(WHOLE_WARP, before[ROWS - 1], 1);
            if (lane == 0 && slab < SLABS)
                north = above[x];
            const int next_northwest = north;
            if (x >= 0 && x < TILE_COLUMNS) {
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    int *cell = &cells[lane * ROWS + r][x];
                    const int west = before[r];
                    north = max(max(northwest + *cell, west - penalty), north - penalty);
                    northwest = west;
                    before[r] = *cell = north;
                }
            }
            northwest = next_northwest;
        }
    }
    __syncwarp();
#pragma unroll
    for (int slab = 0; slab < SLABS; slab++) {
        const int x = slab * 32 + lane;
        if (column + x <= columns)
            for (int y = 0; y < height; y++)
                score[(row + y) * stride + column + x] = cells[y][x];
    }
}

/* All scores on the device. */
static void align(const struct run *run)
{
    const size_t cells = run_cells(run);
    const device_array<int> similarity(run->similarity, cells);
    const device_array<int> score(run->score, cells);
    const int tile_rows = blocks_for(run->rows, TILE_ROWS);
    const int tile_columns = blocks_for(run->columns, TILE_COLUMNS);

    for (int diagonal = 0; diagonal < tile_rows + tile_columns - 1; diagonal++) {
        const int top = most(0, diagonal - tile_columns + 1);
        const int bottom = least(tile_rows - 1, diagonal);
        device_launch("advance", [&] {
            advance<<<bottom - top + 1, 32>>>(run->rows, run->columns, run->penalty, diagonal, top,
                                              similarity, score);
        });
    }
    score.download(run->score);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    align(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
