/*
 * Hotspot: how the temperature of a chip develops, by explicit Euler steps. The cache form.
 *
 * One step a launch; a block keeps its cells and a halo of one cell around them in shared memory.
 *
 * usage: hotspot_cache ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "chip.h"

#ifndef TILE
#define TILE 16 /* rows and columns of a block */
#endif
#if TILE < 1 || TILE * TILE > 1024
#error "a block has one thread a cell, 1024 at most"
#endif

/* One step: the temperatures `next` from the temperatures `now`. No heat leaves at the rim. */
static void advance(struct chip chip, int rows, int columns,
                    const float (*restrict power)[columns], const float (*restrict now)[columns],
                    float (*restrict next)[columns])
{
    const float rate = chip.rate, per_row = chip.per_row;
    const float per_column = chip.per_column, per_layer = chip.per_layer;

    #pragma acc kernels present(power, now, next)
    #pragma acc loop independent vector(TILE)
    for (int row = 0; row < rows; row++) {
        #pragma acc loop independent vector(TILE)
        for (int column = 0; column < columns; column++) {
            #pragma acc cache(now[row - 1:3][column - 1:3])
            const float here = now[row][column];
            float vertical, horizontal;
            if (row == 0)
                vertical = now[row + 1][column] - here;
            else if (row == rows - 1)
                vertical = now[row - 1][column] - here;
            else
                vertical = now[row + 1][column] + now[row - 1][column] - 2.0f * here;
            if (column == 0)
                horizontal = now[row][column + 1] - here;
            else if (column == columns - 1)
                horizontal = now[row][column - 1] - here;
            else
                horizontal = now[row][column + 1] + now[row][column - 1] - 2.0f * here;
            next[row][column] =
                here + rate * (power[row][column] + vertical * per_row + horizontal * per_column +
                               (AMBIENT - here) * per_layer);
        }
    }
}

/*
 * All steps on the device, the temperatures going to and fro between `front`, which has the first,
 * and `back`. Returns the one of the two that holds the last.
 */
static float *simulate(struct chip chip, int rows, int columns, int steps,
                       const float (*power)[columns], float (*front)[columns],
                       float (*back)[columns])
{
    float (*now)[columns] = front, (*next)[columns] = back;

    #pragma acc data copyin(front[0:rows][0:columns], power[0:rows][0:columns]) \
                     create(back[0:rows][0:columns])
    {
        for (int step = 0; step < steps; step++) {
            advance(chip, rows, columns, power, (const float (*)[columns])now, next);
            float (*swap)[columns] = now;
            now = next;
            next = swap;
        }
        #pragma acc update self(now[0:rows][0:columns])
    }
    return now[0];
}

int main(int argc, char **argv)
{
    struct run run = chip_arguments(argc, argv);
    const int columns = run.columns;
    float *next = grid_allocate(run_cells(&run));
    const double start = clock_seconds();
    const float *last =
        simulate(chip_of(run.rows, columns), run.rows, columns, run.steps,
                 (const float (*)[columns])run.power, (float (*)[columns])run.temperature,
                 (float (*)[columns])next);
    chip_report(&run, last, clock_seconds() - start);
    free(run.temperature);
    free(next);
    free(run.power);
    return 0;
}
