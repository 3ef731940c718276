/*
 * Needleman-Wunsch: the best alignment of two sequences, by dynamic programming. The serial form.
 *
 * usage: nw_serial ROWS COLUMNS PENALTY SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "sequences.h"

/* All scores, row by row: each from those to the north-west, the north and the west. */
static void align(int rows, int columns, int penalty, const int (*similarity)[columns + 1],
                  int (*score)[columns + 1])
{
    for (int i = 1; i <= rows; i++) {
        for (int j = 1; j <= columns; j++)
            score[i][j] = most(score[i - 1][j - 1] + similarity[i][j],
                               most(score[i - 1][j], score[i][j - 1]) - penalty);
    }
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
