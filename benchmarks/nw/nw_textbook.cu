/*
 * Needleman-Wunsch: the best alignment of two sequences, by dynamic programming. The textbook CUDA
 * form.
 *
 * As the fcw form: a launch does the tiles of one anti-diagonal, a block of TILE threads each, and
 * the block goes through the anti-diagonals of its tile in shared memory, a row a thread. Of the
 * scores it reads only the row above the tile and the column to its left.
 *
 * usage: nw_textbook ROWS COLUMNS PENALTY SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "sequences.h"

#ifndef TILE
#define TILE 16 /* rows and columns of a tile, and threads of a block */
#endif
#if TILE < 1 || TILE > 64
#error "the tiles of both matrices must fit in 48 KB of shared memory"
#endif

/* The scores of the tiles (top + block, diagonal - top - block). */
__global__ void __launch_bounds__(TILE)
    advance(int rows, int columns, int penalty, int diagonal, int top,
            const int *__restrict__ similarity, int *__restrict__ score)
{
    __shared__ int scores[TILE + 1][TILE + 1]; /* with the row above and the column to the left */
    __shared__ int similarities[TILE][TILE];
    const int lane = threadIdx.x, tile = top + (int)blockIdx.x;
    const int row = tile * TILE + 1, column = (diagonal - tile) * TILE + 1; /* the first cell */
    const int height = min(TILE, rows + 1 - row), width = min(TILE, columns + 1 - column);
    const size_t stride = (size_t)columns + 1;

    if (lane < width) {
        scores[0][lane + 1] = score[(row - 1) * stride + column + lane];
        for (int y = 0; y < height; y++)
            similarities[y][lane] = similarity[(row + y) * stride + column + lane];
    }
    if (lane < height)
        scores[lane + 1][0] = score[(row + lane) * stride + column - 1];
    if (lane == 0)
        scores[0][0] = score[(row - 1) * stride + column - 1];
    __syncthreads();
    for (int step = 0; step < 2 * TILE - 1; step++) {
        const int x = step - lane;
        if (x >= 0 && x < width && lane < height)
            scores[lane + 1][x + 1] =
                max(scores[lane][x] + similarities[lane][x],
                    max(scores[lane][x + 1], scores[lane + 1][x]) - penalty);
        __syncthreads();
    }
    if (lane < width)
        for (int y = 0; y < height; y++)
            score[(row + y) * stride + column + lane] = scores[y + 1][lane + 1];
}

/* All scores on the device. */
static void align(const struct run *run)
{
    const size_t cells = run_cells(run);
    const device_array<int> similarity(run->similarity, cells);
    const device_array<int> score(run->score, cells);
    const int tile_rows = blocks_for(run->rows, TILE), tile_columns = blocks_for(run->columns, TILE);

    for (int diagonal = 0; diagonal < tile_rows + tile_columns - 1; diagonal++) {
        const int top = most(0, diagonal - tile_columns + 1);
        const int bottom = least(tile_rows - 1, diagonal);
        device_launch("advance", [&] {
            advance<<<bottom - top + 1, TILE>>>(run->rows, run->columns, run->penalty, diagonal,
                                                top, similarity, score);
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
