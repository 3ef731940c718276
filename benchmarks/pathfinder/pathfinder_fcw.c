/*
 * Pathfinder: the cheapest paths through a grid, by dynamic programming. The fcw form.
 *
 * A launch goes DEPTH rows on. A block fetches the paths to TILE cells and computes in shared
 * memory; with each row the paths at both ends of its tile, which would need the neighbouring
 * blocks' cells, go out of date by one more cell. So tiles overlap by DEPTH cells on either side
 * (the ghost zone), and a block writes only the TILE - 2 DEPTH cells that are right to the end.
 *
 * usage: pathfinder_fcw ROWS COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "costs.h"

#ifndef TILE
#define TILE 256 /* cells that a block computes, and threads of a block */
#endif
#ifndef DEPTH
#define DEPTH 8 /* rows that a launch goes on */
#endif
#if DEPTH < 1 || TILE <= 2 * DEPTH
#error "a tile must be wider than its two ghost zones"
#endif

/*
 * To row `row` + `depth`, `depth` being DEPTH at most: the cheapest paths `next` to its cells from
 * the paths `now` to row `row`. What the region writes to `now` stays in the block.
 */
static void advance(int columns, const int (*restrict costs)[columns], int row, int depth,
                    int *restrict now, int *restrict next)
{
    const int inner = TILE - 2 * DEPTH;
    const int tiles = (columns + inner - 1) / inner;

    #pragma acc kernels present(costs, now, next)
    #pragma acc loop independent vector(TILE)
    for (int np = 0; np < tiles * TILE; np++) {
        const int n = np - ((np / TILE) * 2 * DEPTH + DEPTH); /* tiles overlap */
        const int lane = np % TILE;
        const int inside = n >= 0 && n < columns;

        #pragma acc fcw FETCH_CHANNEL(now[n:0:0])
        {
            for (int step = 0; step < depth; step++) {
                if (inside && lane > step && lane < TILE - 1 - step) {
                    int best = now[n];
                    if (n > 0)
                        best = least(best, now[n - 1]);
                    if (n < columns - 1)
                        best = least(best, now[n + 1]);
                    now[n] = best + costs[row + step + 1][n];
                }
            }
            if (inside && lane >= DEPTH && lane < TILE - DEPTH)
                next[n] = now[n];
        }
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
        for (int row = 0; row < rows - 1; row += DEPTH) {
            advance(columns, costs, row, least(DEPTH, rows - 1 - row), now, next);
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
