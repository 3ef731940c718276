/*
 * Hotspot: how the temperature of a chip develops, by explicit Euler steps. The OpenMP form.
 *
 * usage: hotspot_omp ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "chip.h"

/* One step: the temperatures `next` from the temperatures `now`. No heat leaves at the rim. */
static void step(struct chip chip, int rows, int columns, const float *power, const float *now,
                 float *next)
{
    #pragma omp parallel for
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
            next[i] = here + chip.rate * (power[i] + vertical * chip.per_row +
                                          horizontal * chip.per_column +
                                          (AMBIENT - here) * chip.per_layer);
        }
    }
}

int main(int argc, char **argv)
{
    struct run run = chip_arguments(argc, argv);
    const struct chip chip = chip_of(run.rows, run.columns);
    float *now = run.temperature;
    float *next = grid_allocate(run_cells(&run));
    const double start = clock_seconds();
    for (int i = 0; i < run.steps; i++) {
        step(chip, run.rows, run.columns, run.power, now, next);
        float *swap = now;
        now = next;
        next = swap;
    }
    chip_report(&run, now, clock_seconds() - start);
    free(now);
    free(next);
    free(run.power);
    return 0;
}
