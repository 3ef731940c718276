/*
 * Hotspot3D: how the temperatures in a stacked chip develop, by explicit Euler steps. The serial
 * form.
 *
 * usage: hotspot3D_serial LAYERS ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED)
 *                         [OUTPUT]
 */
#include "../common/clock.h"

#include "chip.h"

/* One step: the temperatures `next` from the temperatures `now`. */
static void advance(struct chip chip, int layers, int rows, int columns,
                    const float (*power)[rows][columns], const float (*now)[rows][columns],
                    float (*next)[rows][columns])
{
    for (int layer = 0; layer < layers; layer++) {
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                next[layer][row][column] =
                    chip_next(chip, now[layer][row][column],
                              now[layer][row > 0 ? row - 1 : row][column],
                              now[layer][row < rows - 1 ? row + 1 : row][column],
                              now[layer][row][column > 0 ? column - 1 : column],
                              now[layer][row][column < columns - 1 ? column + 1 : column],
                              now[layer > 0 ? layer - 1 : layer][row][column],
                              now[layer < layers - 1 ? layer + 1 : layer][row][column],
                              power[layer][row][column]);
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct run run = chip_arguments(argc, argv);
    const int layers = run.layers, rows = run.rows, columns = run.columns;
    const struct chip chip = chip_of(layers, rows, columns);
    float *now = run.temperature;
    float *next = grid_allocate(run_cells(&run));
    const double start = clock_seconds();
    for (int step = 0; step < run.steps; step++) {
        advance(chip, layers, rows, columns, (const float (*)[rows][columns])run.power,
                (const float (*)[rows][columns])now, (float (*)[rows][columns])next);
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
