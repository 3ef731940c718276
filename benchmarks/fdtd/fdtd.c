/*
 * FDTD: electric and magnetic fields in a plane, by finite differences in time. The OpenACC form.
 *
 * usage: fdtd ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "fields.h"

/* The magnetic field a step on. */
static void advance_magnetic(int rows, int columns, const float (*restrict ex)[columns],
                             const float (*restrict ey)[columns + 1],
                             float (*restrict hz)[columns])
{
    #pragma acc parallel loop collapse(2) present(ex, ey, hz)
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            hz[row][column] += COURANT * ((ex[row + 1][column] - ex[row][column]) -
                                          (ey[row][column + 1] - ey[row][column]));
        }
    }
}

/* The electric field a step on; along the rim it stays zero. */
static void advance_electric(int rows, int columns, const float (*restrict hz)[columns],
                             float (*restrict ex)[columns], float (*restrict ey)[columns + 1])
{
    #pragma acc parallel loop collapse(2) present(hz, ex, ey)
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            if (row > 0)
                ex[row][column] += COURANT * (hz[row][column] - hz[row - 1][column]);
            if (column > 0)
                ey[row][column] -= COURANT * (hz[row][column] - hz[row][column - 1]);
        }
    }
}

/* All steps on the device. */
static void simulate(int rows, int columns, int steps, float (*ex)[columns],
                     float (*ey)[columns + 1], float (*hz)[columns])
{
    #pragma acc data copy(ex[0:rows + 1][0:columns], ey[0:rows][0:columns + 1], \
                          hz[0:rows][0:columns])
    for (int step = 0; step < steps; step++) {
        advance_magnetic(rows, columns, (const float (*)[columns])ex,
                         (const float (*)[columns + 1])ey, hz);
        advance_electric(rows, columns, (const float (*)[columns])hz, ex, ey);
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int columns = run.columns;
    const double start = clock_seconds();
    simulate(run.rows, columns, run.steps, (float (*)[columns])run.ex,
             (float (*)[columns + 1])run.ey, (float (*)[columns])run.hz);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
