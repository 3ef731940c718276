/*
 * Pathfinder: the cheapest paths through a grid, by dynamic programming. The OpenACC form.
 *
 * usage: pathfinder ROWS COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "costs.h"

/* To row `row`: the cheapest paths `next` to its cells from the paths `now` to the row before. */
static void advance(int columns, const int (*restrict costs)[columns], int row,
                    const int *restrict now, int *restrict next)
{
    #pragma acc parallel loop present(costs, now, next)
    for (int n = 0; n < columns; n++) {
        int best = now[n];
        if (n > 0)
            best = least(best, now[n - 1]);
        if (n < columns - 1)
            best = least(best, now[n + 1]);
        next[n] = best + costs[row][n];
    }
}

/*
 * All rows on the device, the paths going to and fro between `front`, which has those to the first
 * row, and `back`. Returns the one of the two that holds the paths to the last row.
 */
static int *find(int rows, int columns, const int (*costs)[columns], int *front, int *back)
{
    int *now = front, *next = back;

    #pragma acc data copyin(costs[0:rows][0:columns], front[0:columns]) create(back[0:columns])
    {
        for (int row = 1; row < rows; row++) {
            advance(columns, costs, row, now, next);
            int *swap = now;
            now = next;
            next = swap;
        }
        #pragma acc update self(now[0:columns])
    }
    return now;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int columns = run.columns;
    int *front = (int *)allocate((size_t)columns, sizeof *front);
    int *back = (int *)allocate((size_t)columns, sizeof *back);
    const double start = clock_seconds();
    memcpy(front, run.costs, (size_t)columns * sizeof *front);
    const int *paths = find(run.rows, columns, (const int (*)[columns])run.costs, front, back);
    run_report(&run, paths, clock_seconds() - start);
    free(front);
    free(back);
    free(run.costs);
    return 0;
}
