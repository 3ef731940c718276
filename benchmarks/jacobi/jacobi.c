/*
 * Jacobi's method for the Laplace equation on a plate. The OpenACC form.
 *
 * usage: jacobi ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include <math.h>

#include "plate.h"

/* One step: `next` from `now`. Returns the most that a cell changed. */
static float relax(int rows, int columns, const float (*restrict now)[columns],
                   float (*restrict next)[columns])
{
    float change = 0.0f;

    #pragma acc parallel loop collapse(2) present(now, next) reduction(max : change)
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
