/*
 * Needleman-Wunsch: the best alignment of two sequences, by dynamic programming. The fcw form.
 *
 * The matrix is cut into tiles of TILE x TILE cells. A launch does the tiles of one anti-diagonal, a
 * block of TILE threads each. The block holds its tile, with the row above and the column to the
 * left, as a channel, and goes through the anti-diagonals of the tile itself: in step s thread
 * `lane` does the cell (lane, s - lane), which needs what its neighbours did in the steps before.
 * No step reads a cell that it writes, so that one barrier a step, an explicit one, does.
 *
 * usage: nw_fcw ROWS COLUMNS PENALTY SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "sequences.h"

#ifndef TILE
#define TILE 16 /* rows and columns of a tile, and threads of a block */
#endif
#if TILE < 1 || TILE > 1024
#error "a block has one thread a row of the tile, 1024 at most"
#endif

/* The scores of the tiles (t, diagonal - t). */
static void advance(int rows, int columns, int penalty, int diagonal,
                    const int (*restrict similarity)[columns + 1],
                    int (*restrict score)[columns + 1])
{
    const int top = most(0, diagonal - (columns - 1) / TILE);
    const int bottom = least((rows - 1) / TILE, diagonal);

    #pragma acc kernels present(similarity, score)
    #pragma acc loop independent vector(TILE)
    for (int n = 0; n < (bottom - top + 1) * TILE; n++) {
        const int lane = n % TILE;
        const int row = (top + n / TILE) * TILE + 1; /* the first cell of the tile */
        const int column = (diagonal - top - n / TILE) * TILE + 1;

        #pragma acc fcw FETCH_CHANNEL_WB(score[row:1:TILE - 1:column:1:TILE - 1]) explicit \
                        FETCH_ONLY(similarity[row:0:TILE - 1:column:0:TILE - 1])
        for (int step = 0; step < 2 * TILE - 1; step++) {
            const int i = row + lane, j = column + step - lane;
            if (j >= column && j < column + TILE && i <= rows && j <= columns)
                score[i][j] = most(score[i - 1][j - 1] + similarity[i][j],
                                   most(score[i - 1][j], score[i][j - 1]) - penalty);
            #pragma acc fcw_barrier
        }
    }
}

/* All scores on the device. */
static void align(int rows, int columns, int penalty, const int (*similarity)[columns + 1],
                  int (*score)[columns + 1])
{
    const int diagonals = (rows - 1) / TILE + (columns - 1) / TILE + 1;

    #pragma acc data copyin(similarity[0:rows + 1][0:columns + 1]) \
                     copy(score[0:rows + 1][0:columns + 1])
    for (int diagonal = 0; diagonal < diagonals; diagonal++)
        advance(rows, columns, penalty, diagonal, similarity, score);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int columns = run.columns;
    const double start = clock_seconds();
    align(run.rows, columns, run.penalty, (const int (*)[columns + 1])run.similarity,
          (int (*)[columns + 1])run.score);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
