/*
 * Leukocyte: the motion gradient vector flow in windows around cells. The serial form.
 *
 * usage: leukocyte_serial CELLS ROWS COLUMNS ITERATIONS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "cells.h"

/* An iteration of a window's field, from `now` to `next`. Returns how much all pixels change. */
static int iterate(int rows, int columns, struct motion motion, const float (*restrict edges)[columns],
                   const float (*restrict now)[columns], float (*restrict next)[columns])
{
    int change = 0;
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const float own = now[row][column];
            float sum = 0.0f;
            for (int down = -1; down <= 1; down++) {
                for (int right = -1; right <= 1; right++) {
                    const int y = clamped(row + down, rows), x = clamped(column + right, columns);
                    sum += taken(motion, down, right, now[y][x] - own);
                }
            }
            next[row][column] = advanced(own, sum, edges[row][column]);
            change += change_of(own, next[row][column]);
        }
    }
    return change;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int rows = run.rows, columns = run.columns, pixels = rows * columns;
    float *next = grid_allocate((size_t)pixels);
    const double start = clock_seconds();
    for (int i = 0; i < run.cells; i++) {
        const float *edges = run.edges + i * pixels;
        float *now = run.fields + i * pixels;
        int change = INT_MAX, done = 0;
        for (; done < run.most && change > CUTOFF * pixels; done++) {
            change = iterate(rows, columns, run.motions[i], (const float (*)[columns])edges,
                             (const float (*)[columns])now, (float (*)[columns])next);
            memcpy(now, next, (size_t)pixels * sizeof *now);
        }
        run.iterations[i] = done;
    }
    run_finish(&run, clock_seconds() - start);
    free(next);
    return 0;
}
