/*
 * Hotspot3D: how the temperatures in a stacked chip develop, by explicit Euler steps. The OpenACC
 * form.
 *
 * usage: hotspot3D LAYERS ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "chip.h"

/* One step: the temperatures `next` from the temperatures `now`. */
static void advance(struct chip chip, int layers, int rows, int columns,
                    const float (*restrict power)[rows][columns],
                    const float (*restrict now)[rows][columns],
                    float (*restrict next)[rows][columns])
{
    #pragma acc parallel loop collapse(3) present(power, now, next)
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

/*
 * All steps on the device, the temperatures going to and fro between `front`, which has the first,
 * and `back`. Returns the one of the two that holds the last.
 */
static float *simulate(struct chip chip, int layers, int rows, int columns, int steps,
                       const float (*power)[rows][columns], float (*front)[rows][columns],
                       float (*back)[rows][columns])
{
    float (*now)[rows][columns] = front, (*next)[rows][columns] = back;

    #pragma acc data copyin(front[0:layers][0:rows][0:columns]) \
                     copyin(power[0:layers][0:rows][0:columns]) \
                     create(back[0:layers][0:rows][0:columns])
    {
        for (int step = 0; step < steps; step++) {
            advance(chip, layers, rows, columns, power, (const float (*)[rows][columns])now, next);
            float (*swap)[rows][columns] = now;
            now = next;
            next = swap;
        }
        #pragma acc update self(now[0:layers][0:rows][0:columns])
    }
    return now[0][0];
}

int main(int argc, char **argv)
{
    struct run run = chip_arguments(argc, argv);
    const int layers = run.layers, rows = run.rows, columns = run.columns;
    float *next = grid_allocate(run_cells(&run));
    const double start = clock_seconds();
    const float *last =
        simulate(chip_of(layers, rows, columns), layers, rows, columns, run.steps,
                 (const float (*)[rows][columns])run.power,
                 (float (*)[rows][columns])run.temperature, (float (*)[rows][columns])next);
    chip_report(&run, last, clock_seconds() - start);
    free(run.temperature);
    free(next);
    free(run.power);
    return 0;
}
