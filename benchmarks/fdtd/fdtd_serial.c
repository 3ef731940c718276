/*
 * FDTD: electric and magnetic fields in a plane, by finite differences in time. The serial form.
 *
 * usage: fdtd_serial ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "fields.h"

/* The magnetic field a step on. */
static void advance_magnetic(int rows, int columns, const float (*restrict ex)[columns],
                             const float (*restrict ey)[columns + 1],
                             float (*restrict hz)[columns])
{
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
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            if (row > 0)
                ex[row][column] += COURANT * (hz[row][column] - hz[row - 1][column]);
            if (column > 0)
                ey[row][column] -= COURANT * (hz[row][column] - hz[row][column - 1]);
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int rows = run.rows, columns = run.columns;
    float (*ex)[columns] = (float (*)[columns])run.ex;
    float (*ey)[columns + 1] = (float (*)[columns + 1])run.ey;
    float (*hz)[columns] = (float (*)[columns])run.hz;
    const double start = clock_seconds();
    for (int step = 0; step < run.steps; step++) {
        advance_magnetic(rows, columns, (const float (*)[columns])ex,
                         (const float (*)[columns + 1])ey, hz);
        advance_electric(rows, columns, (const float (*)[columns])hz, ex, ey);
    }
    run_finish(&run, clock_seconds() - start);
    return 0;
}
