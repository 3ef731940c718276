/*
 * Jacobi's method for the Laplace equation on a plate. The cache form.
 *
 * As the fcw form, with the standard's directive: it promises nothing that the program relies on.
 *
 * usage: jacobi_cache ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include <math.h>

#include "plate.h"

#ifndef TILE_ROWS
#define TILE_ROWS 8 /* rows of a block */
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 32 /* columns of a block */
#endif
#if TILE_ROWS < 1 || TILE_COLUMNS < 1 || TILE_ROWS * TILE_COLUMNS > 1024
#error "a block has one thread a cell, 1024 at most"
#endif

/* One step: `next` from `now`. Returns the most that a cell changed. */
static float relax(int rows, int columns, const float (*restrict now)[columns],
                   float (*restrict next)[columns])
{
    float change = 0.0f;

    #pragma acc kernels present(now, next)
    #pragma acc loop independent vector(TILE_ROWS) reduction(max : change)
    for (int row = 1; row < rows - 1; row++) {
        #pragma acc loop independent vector(TILE_COLUMNS) reduction(max : change)
        for (int column = 1; column < columns - 1; column++) {
            #pragma acc cache(now[row - 1:3][column - 1:3])
            const float mean = 0.25f * (now[row - 1][column] + now[row + 1][column] +
                                        now[row][column - 1] + now[row][column + 1]);
            change = fmaxf(change, fabsf(mean - now[row][column]));
            next[row][column] = mean;
        }
    }
    return change;
}

/*
 * All steps on the device, the values going to and fro between `front` and `back`, whose rims are
 * equal. Returns the one of the two that holds the last, and in `change` the most that a cell
 * changed in the last step.
 */
static void *solve(int rows, int columns, int steps, float (*front)[columns],
                   float (*back)[columns], float *change)
{
    float (*now)[columns] = front, (*next)[columns] = back;

    *change = 0.0f;
    #pragma acc data copyin(front[0:rows][0:columns], back[0:rows][0:columns])
    {
        for (int step = 0; step < steps; step++) {
            *change = relax(rows, columns, (const float (*)[columns])now, next);
            float (*swap)[columns] = now;
            now = next;
            next = swap;
        }
        #pragma acc update self(now[0:rows][0:columns])
    }
    return now;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int columns = run.columns;
    float change;
    const double start = clock_seconds();
    void *values = solve(run.rows, columns, run.steps, (float (*)[columns])run.front,
                         (float (*)[columns])run.back, &change);
    run_finish(&run, values, change, clock_seconds() - start);
    return 0;
}
