/*
 * Hotspot: how the temperature of a chip develops, by explicit Euler steps. The fcw form.
 *
 * A launch does DEPTH steps. A block fetches TILE x TILE cells and computes in shared memory; with
 * each step the cells along the edges of its tile, which would need the neighbouring blocks' cells,
 * go out of date by one more. So tiles overlap by DEPTH cells on every side (the ghost zone), and a
 * block writes only the cells that are right to the end.
 *
 * usage: hotspot_fcw ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "chip.h"

#ifndef TILE
#define TILE 16 /* rows and columns that a block computes */
#endif
#ifndef DEPTH
#define DEPTH 2 /* steps of a launch */
#endif
#if DEPTH < 1 || TILE <= 2 * DEPTH || TILE * TILE > 1024
#error "a tile must be wider than its two ghost zones, and have 1024 cells at most"
#endif

static int least(int a, int b)
{
    return a < b ? a : b;
}

/*
 * `depth` steps, DEPTH at most: the temperatures `next` from the temperatures `now`. What the
 * region writes to `now` stays in the block. No heat leaves at the rim.
 */
static void advance(struct chip chip, int rows, int columns, int depth,
                    const float (*restrict power)[columns], float (*restrict now)[columns],
                    float (*restrict next)[columns])
{
    const float rate = chip.rate, per_row = chip.per_row;
    const float per_column = chip.per_column, per_layer = chip.per_layer;
    const int inner = TILE - 2 * DEPTH;
    const int row_threads = (rows + inner - 1) / inner * TILE;
    const int column_threads = (columns + inner - 1) / inner * TILE;

    #pragma acc kernels present(power, now, next)
    #pragma acc loop independent vector(TILE)
    for (int y = 0; y < row_threads; y++) {
        #pragma acc loop independent vector(TILE)
        for (int x = 0; x < column_threads; x++) {
            const int row = y - ((y / TILE) * 2 * DEPTH + DEPTH); /* tiles overlap */
            const int column = x - ((x / TILE) * 2 * DEPTH + DEPTH);
            const int inside = row >= 0 && row < rows && column >= 0 && column < columns;
            /* How far from the nearest edge of the tile: after that many steps out of date. */
            const int margin = least(least(y % TILE, TILE - 1 - y % TILE),
                                     least(x % TILE, TILE - 1 - x % TILE));

            #pragma acc fcw FETCH_CHANNEL(now[row:0:0:column:0:0]) \
                            FETCH_ONLY(power[row:0:0:column:0:0])
            {
                for (int step = 0; step < depth; step++) {
                    if (inside && margin > step) {
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
                        now[row][column] =
                            here + rate * (power[row][column] + vertical * per_row +
                                           horizontal * per_column +
                                           (AMBIENT - here) * per_layer);
                    }
                }
                if (inside && margin >= DEPTH)
                    next[row][column] = now[row][column];
            }
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
        for (int step = 0; step < steps; step += DEPTH) {
            advance(chip, rows, columns, least(DEPTH, steps - step), power, now, next);
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
