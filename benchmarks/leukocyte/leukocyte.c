/*
 * Leukocyte: the motion gradient vector flow in windows around cells. The OpenACC form: a cell a
 * gang, which iterates until its field hardly changes; a pixel a vector lane.
 *
 * usage: leukocyte CELLS ROWS COLUMNS ITERATIONS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "cells.h"

/* The flow of all windows, which is in `fields` at the end, as the edges are before. */
static void flow(int cells, int rows, int columns, int most, const struct motion *restrict motions,
                 const float (*restrict edges)[rows][columns], float (*restrict fields)[rows][columns],
                 float (*restrict next)[rows][columns], int *restrict iterations)
{
    #pragma acc parallel loop gang present(motions, edges, fields, next, iterations)
    for (int i = 0; i < cells; i++) {
        const struct motion motion = motions[i];
        int change = INT_MAX, done = 0;
        for (; done < most && change > CUTOFF * rows * columns; done++) {
            change = 0;

            #pragma acc loop vector reduction(+ : change)
            for (int k = 0; k < rows * columns; k++) {
                const int row = k / columns, column = k % columns;
                const float own = fields[i][row][column];
                float sum = 0.0f;
                for (int down = -1; down <= 1; down++) {
                    for (int right = -1; right <= 1; right++) {
                        const int y = clamped(row + down, rows);
                        const int x = clamped(column + right, columns);
                        sum += taken(motion, down, right, fields[i][y][x] - own);
                    }
                }
                const float then = advanced(own, sum, edges[i][row][column]);
                next[i][row][column] = then;
                change += change_of(own, then);
            }

            #pragma acc loop vector
            for (int k = 0; k < rows * columns; k++)
                fields[i][k / columns][k % columns] = next[i][k / columns][k % columns];
        }
        iterations[i] = done;
    }
}

/* All windows on the device. `room` is for the fields of an iteration. */
static void flow_all(const struct run *run, float *room)
{
    const int cells = run->cells, rows = run->rows, columns = run->columns;
    const struct motion *motions = run->motions;
    const float (*edges)[rows][columns] = (const float (*)[rows][columns])run->edges;
    float (*fields)[rows][columns] = (float (*)[rows][columns])run->fields;
    float (*next)[rows][columns] = (float (*)[rows][columns])room;
    int *iterations = run->iterations;

    #pragma acc data copyin(motions[0:cells], edges[0:cells][0:rows][0:columns]) \
                     copy(fields[0:cells][0:rows][0:columns]) \
                     create(next[0:cells][0:rows][0:columns]) copyout(iterations[0:cells])
    flow(cells, rows, columns, run->most, motions, edges, fields, next, iterations);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    float *room = grid_allocate(run_pixels(&run));
    const double start = clock_seconds();
    flow_all(&run, room);
    run_finish(&run, clock_seconds() - start);
    free(room);
    return 0;
}
