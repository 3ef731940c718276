/*
 * Hotspot3D: how the temperatures in a stacked chip develop, by explicit Euler steps. The fcw form.
 *
 * A block goes through the layers. Of the one at hand it holds its cells and a halo of one cell
 * around them in shared memory, since up to five threads read each; what comes before and behind a
 * cell is of use to its own thread only, and stays in variables.
 *
 * usage: hotspot3D_fcw LAYERS ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "chip.h"

#ifndef TILE_ROWS
#define TILE_ROWS 8 /* rows of a block */
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 32 /* columns of a block */
#endif
#if TILE_ROWS < 1 || TILE_COLUMNS < 1 || TILE_ROWS * TILE_COLUMNS > 1024
#error "a block has one thread a cell of a layer, 1024 at most"
#endif

/* One step: the temperatures `next` from the temperatures `now`. */
static void advance(struct chip chip, int layers, int rows, int columns,
                    const float (*restrict power)[rows][columns],
                    const float (*restrict now)[rows][columns],
                    float (*restrict next)[rows][columns])
{
    #pragma acc kernels present(power, now, next)
    #pragma acc loop independent vector(TILE_ROWS)
    for (int row = 0; row < rows; row++) {
        #pragma acc loop independent vector(TILE_COLUMNS)
        for (int column = 0; column < columns; column++) {
            float before = now[0][row][column], own = before;
            for (int layer = 0; layer < layers; layer++) {
                const float behind = layer < layers - 1 ? now[layer + 1][row][column] : own;
                #pragma acc fcw FETCH_ONLY(now[layer:0:0:row:1:1:column:1:1])
                next[layer][row][column] =
                    chip_next(chip, own, now[layer][row > 0 ? row - 1 : row][column],
                              now[layer][row < rows - 1 ? row + 1 : row][column],
                              now[layer][row][column > 0 ? column - 1 : column],
                              now[layer][row][column < columns - 1 ? column + 1 : column], before,
                              behind, power[layer][row][column]);
                before = own;
                own = behind;
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
