/*
 * Pathfinder: the cheapest paths through a grid, by dynamic programming. The serial form.
 *
 * usage: pathfinder_serial ROWS COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "costs.h"

/* One row on: the cheapest paths `next` to a row whose cells cost `cost`, from those `now`. */
static void advance(int columns, const int *cost, const int *now, int *next)
{
    for (int n = 0; n < columns; n++) {
        int best = now[n];
        if (n > 0)
            best = least(best, now[n - 1]);
        if (n < columns - 1)
            best = least(best, now[n + 1]);
        next[n] = best + cost[n];
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const size_t columns = (size_t)run.columns;
    int *now = (int *)allocate(columns, sizeof *now);
    int *next = (int *)allocate(columns, sizeof *next);
    const double start = clock_seconds();
    memcpy(now, run.costs, columns * sizeof *now);
    for (int row = 1; row < run.rows; row++) {
        advance(run.columns, run.costs + (size_t)row * columns, now, next);
        int *swap = now;
        now = next;
        next = swap;
    }
    run_report(&run, now, clock_seconds() - start);
    free(now);
    free(next);
    free(run.costs);
    return 0;
}
