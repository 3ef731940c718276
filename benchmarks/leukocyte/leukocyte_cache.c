/*
 * Leukocyte: the motion gradient vector flow in windows around cells. The cache form.
 *
 * A launch is an iteration of all cells, and a block holds the field of its cell: where a block
 * iterates by itself, a sum of its threads may not end around a window. The field of a cell that is
 * done is handed on as it is.
 *
 * usage: leukocyte_cache CELLS ROWS COLUMNS ITERATIONS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "cells.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/*
 * An iteration of all fields, from `now` to `next`. `changes` has how much each changed in the one
 * before. Returns how many go on.
 */
static int iterate(int cells, int rows, int columns, const struct motion *restrict motions,
                   const float (*restrict edges)[rows][columns],
                   const float (*restrict now)[rows][columns], float (*restrict next)[rows][columns],
                   int *restrict changes, int *restrict iterations)
{
    int going = 0;

    #pragma acc parallel loop gang vector_length(BLOCK) reduction(+ : going) \
                              present(motions, edges, now, next, changes, iterations)
    for (int i = 0; i < cells; i++) {
        const struct motion motion = motions[i];
        const int goes_on = changes[i] > CUTOFF * rows * columns;
        int change = 0;

        #pragma acc loop vector reduction(+ : change)
        for (int k = 0; k < rows * columns; k++) {
            #pragma acc cache(now[i:1][0:rows][0:columns])
            const int row = k / columns, column = k % columns;
            const float own = now[i][row][column];
            float sum = 0.0f, then = own;
            if (goes_on) {
                for (int down = -1; down <= 1; down++) {
                    for (int right = -1; right <= 1; right++) {
                        const int y = clamped(row + down, rows);
                        const int x = clamped(column + right, columns);
                        sum += taken(motion, down, right, now[i][y][x] - own);
                    }
                }
                then = advanced(own, sum, edges[i][row][column]);
            }
            next[i][row][column] = then;
            change += change_of(own, then);
        }
        changes[i] = change;
        iterations[i] += goes_on;
        going += change > CUTOFF * rows * columns;
    }
    return going;
}

/* All windows on the device. `room` is for the fields of an iteration. */
static void flow_all(const struct run *run, float *room, int *changes)
{
    const int cells = run->cells, rows = run->rows, columns = run->columns;
    const struct motion *motions = run->motions;
    const float (*edges)[rows][columns] = (const float (*)[rows][columns])run->edges;
    float (*front)[rows][columns] = (float (*)[rows][columns])run->fields;
    float (*back)[rows][columns] = (float (*)[rows][columns])room;
    float (*now)[rows][columns] = front, (*next)[rows][columns] = back;
    int *iterations = run->iterations, going = cells;

    #pragma acc data copyin(motions[0:cells], edges[0:cells][0:rows][0:columns]) \
                     copyin(front[0:cells][0:rows][0:columns], changes[0:cells]) \
                     create(back[0:cells][0:rows][0:columns]) copy(iterations[0:cells])
    {
        for (int i = 0; i < run->most && going > 0; i++) {
            going = iterate(cells, rows, columns, motions, edges, now, next, changes, iterations);
            float (*swap)[rows][columns] = now;
            now = next;
            next = swap;
        }
        #pragma acc update self(now[0:cells][0:rows][0:columns])
    }
    if (now != front)
        memcpy(front, now, run_pixels(run) * sizeof *run->fields);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    float *room = grid_allocate(run_pixels(&run));
    int *changes = (int *)allocate((size_t)run.cells, sizeof *changes);
    for (int i = 0; i < run.cells; i++) {
        changes[i] = INT_MAX;
        run.iterations[i] = 0;
    }
    const double start = clock_seconds();
    flow_all(&run, room, changes);
    run_finish(&run, clock_seconds() - start);
    free(room);
    free(changes);
    return 0;
}
