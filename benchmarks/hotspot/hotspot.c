/*
 * Hotspot: how the temperature of a chip develops, by explicit Euler steps. The OpenACC form.
 *
 * usage: hotspot ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "chip.h"

/*
 * All steps on the device, the temperatures going to and fro between `now` and `next`. Returns the
 * one of the two that holds the last.
 */
static float *simulate(struct chip chip, int rows, int columns, int steps, const float *power,
                       float *now, float *next)
{
    const float rate = chip.rate, per_row = chip.per_row;
    const float per_column = chip.per_column, per_layer = chip.per_layer;

    #pragma acc data copyin(now[0:rows * columns], power[0:rows * columns]) \
                     create(next[0:rows * columns])
    {
        for (int step = 0; step < steps; step++) {
            /* No heat leaves at the rim. */
            #pragma acc parallel loop collapse(2) present(now, power, next)
            for (int row = 0; row < rows; row++) {
                for (int column = 0; column < columns; column++) {
                    const int i = row * columns + column;
                    const float here = now[i];
                    float vertical, horizontal;
                    if (row == 0)
                        vertical = now[i + columns] - here;
                    else if (row == rows - 1)
                        vertical = now[i - columns] - here;
                    else
                        vertical = now[i + columns] + now[i - columns] - 2.0f * here;
                    if (column == 0)
                        horizontal = now[i + 1] - here;
                    else if (column == columns - 1)
                        horizontal = now[i - 1] - here;
                    else
                        horizontal = now[i + 1] + now[i - 1] - 2.0f * here;
                    next[i] = here + rate * (power[i] + vertical * per_row +
                                             horizontal * per_column +
                                             (AMBIENT - here) * per_layer);
                }
            }
            float *swap = now;
            now = next;
            next = swap;
        }
        #pragma acc update self(now[0:rows * columns])
    }
    return now;
}

int main(int argc, char **argv)
{
    struct run run = chip_arguments(argc, argv);
    float *next = grid_allocate(run_cells(&run));
    const double start = clock_seconds();
    float *last = simulate(chip_of(run.rows, run.columns), run.rows, run.columns, run.steps,
                           run.power, run.temperature, next);
    chip_report(&run, last, clock_seconds() - start);
    free(run.temperature);
    free(next);
    free(run.power);
    return 0;
}
