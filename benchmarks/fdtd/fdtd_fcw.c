/*
 * FDTD: electric and magnetic fields in a plane, by finite differences in time. The fcw form.
 *
 * Neighbouring cells share their edges: a block fetches the field of its cells, and of the cells
 * next to them on one side, once, where in the plain form two threads read most of it.
 *
 * usage: fdtd_fcw ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "fields.h"

#ifndef TILE_ROWS
#define TILE_ROWS 8 /* rows of a block */
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 32 /* columns of a block */
#endif
#if TILE_ROWS < 1 || TILE_COLUMNS < 1 || TILE_ROWS * TILE_COLUMNS > 1024
#error "a block has one thread a cell, 1024 at most"
#endif

/* The magnetic field a step on. */
static void advance_magnetic(int rows, int columns, const float (*restrict ex)[columns],
                             const float (*restrict ey)[columns + 1],
                             float (*restrict hz)[columns])
{
    #pragma acc kernels present(ex, ey, hz)
    #pragma acc loop independent vector(TILE_ROWS)
    for (int row = 0; row < rows; row++) {
        #pragma acc loop independent vector(TILE_COLUMNS)
        for (int column = 0; column < columns; column++) {
            #pragma acc fcw FETCH_ONLY(ex[row:0:1:column:0:0], ey[row:0:0:column:0:1])
            hz[row][column] += COURANT * ((ex[row + 1][column] - ex[row][column]) -
                                          (ey[row][column + 1] - ey[row][column]));
        }
    }
}

/* The electric field a step on; along the rim it stays zero. */
static void advance_electric(int rows, int columns, const float (*restrict hz)[columns],
                             float (*restrict ex)[columns], float (*restrict ey)[columns + 1])
{
    #pragma acc kernels present(hz, ex, ey)
    #pragma acc loop independent vector(TILE_ROWS)
    for (int row = 0; row < rows; row++) {
        #pragma acc loop independent vector(TILE_COLUMNS)
        for (int column = 0; column < columns; column++) {
            #pragma acc fcw FETCH_ONLY(hz[row:1:0:column:1:0])
            {
                if (row > 0)
                    ex[row][column] += COURANT * (hz[row][column] - hz[row - 1][column]);
                if (column > 0)
                    ey[row][column] -= COURANT * (hz[row][column] - hz[row][column - 1]);
            }
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
