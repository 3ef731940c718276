/*
 * Needleman-Wunsch: the best alignment of two sequences, by dynamic programming. The OpenACC form:
 * all cells of an anti-diagonal at a time.
 *
 * usage: nw ROWS COLUMNS PENALTY SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "sequences.h"

/* The scores of the cells (i, diagonal - i), from those of the two anti-diagonals before. */
static void advance(int rows, int columns, int penalty, int diagonal,
                    const int (*restrict similarity)[columns + 1],
                    int (*restrict score)[columns + 1])
{
    const int top = most(1, diagonal - columns), bottom = least(rows, diagonal - 1);

    #pragma acc parallel loop independent present(similarity, score)
    for (int i = top; i <= bottom; i++) {
        const int j = diagonal - i;
        score[i][j] = most(score[i - 1][j - 1] + similarity[i][j],
                           most(score[i - 1][j], score[i][j - 1]) - penalty);
    }
}

/* All scores on the device. */
static void align(int rows, int columns, int penalty, const int (*similarity)[columns + 1],
                  int (*score)[columns + 1])
{
    #pragma acc data copyin(similarity[0:rows + 1][0:columns + 1]) \
                     copy(score[0:rows + 1][0:columns + 1])
    for (int diagonal = 2; diagonal <= rows + columns; diagonal++)
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
