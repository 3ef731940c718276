/*
 * Jacobi's method for the Laplace equation on a plate. The OpenMP form.
 *
 * usage: jacobi_omp ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include <math.h>

#include "plate.h"

/* One step: `next` from `now`. Returns the most that a cell changed. */
static float relax(int rows, int columns, const float (*restrict now)[columns],
                   float (*restrict next)[columns])
{
    float change = 0.0f;
    #pragma omp parallel for reduction(max : change)
    for (int row = 1; row < rows - 1; row++) {
        for (int column = 1; column < columns - 1; column++) {
            const float mean = 0.25f * (now[row - 1][column] + now[row + 1][column] +
                                        now[row][column - 1] + now[row][column + 1]);
            change = fmaxf(change, fabsf(mean - now[row][column]));
            next[row][column] = mean;
        }
    }
    return change;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int columns = run.columns;
    float (*now)[columns] = (float (*)[columns])run.front;
    float (*next)[columns] = (float (*)[columns])run.back;
    float change = 0.0f;
    const double start = clock_seconds();
    for (int step = 0; step < run.steps; step++) {
        change = relax(run.rows, columns, (const float (*)[columns])now, next);
        float (*swap)[columns] = now;
        now = next;
        next = swap;
    }
    run_finish(&run, now, change, clock_seconds() - start);
    return 0;
}
