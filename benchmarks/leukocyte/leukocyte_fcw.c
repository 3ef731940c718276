/*
 * Leukocyte: the motion gradient vector flow in windows around cells. The fcw form.
 *
 * A block has a cell. It holds its field and its edges for all iterations, and an array that only
 * the block has for the next field; the changes of all threads are added up by a tree.
 *
 * usage: leukocyte_fcw CELLS ROWS COLUMNS ITERATIONS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "cells.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/* The flow of all windows, which is in `fields` at the end, as the edges are before. */
static void flow(int cells, int rows, int columns, int most, const struct motion *restrict motions,
                 const float (*restrict edges)[rows][columns], float (*restrict fields)[rows][columns],
                 int *restrict iterations)
{
    float *restrict next = NULL; /* only windows of these exist */
    int *restrict changes = NULL;

    #pragma acc parallel loop gang vector_length(BLOCK) present(motions, edges, fields, iterations)
    for (int i = 0; i < cells; i++) {
        const struct motion motion = motions[i];

        #pragma acc loop vector
        for (int lane = 0; lane < BLOCK; lane++) {
            #pragma acc fcw FETCH_ONLY(edges[i:0:0:0:0:rows - 1:0:0:columns - 1]) \
                            FETCH_CHANNEL_WB(fields[i:0:0:0:0:rows - 1:0:0:columns - 1]) \
                            CHANNEL_ONLY(next[0:0:rows * columns - 1], changes[lane:0:0]) explicit
            {
                int done = 0, going = 1;
                while (done < most && going) {
                    changes[lane] = 0;
                    for (int k = lane; k < rows * columns; k += BLOCK) {
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
                        next[k] = advanced(own, sum, edges[i][row][column]);
                        changes[lane] += change_of(own, next[k]);
                    }
                    #pragma acc fcw_barrier
                    for (int k = lane; k < rows * columns; k += BLOCK)
                        fields[i][k / columns][k % columns] = next[k];
                    for (int width = BLOCK; width > 1; width = (width + 1) / 2) {
                        const int half = (width + 1) / 2; /* the middle one of an odd number waits */
                        if (lane + half < width)
                            changes[lane] += changes[lane + half];
                        #pragma acc fcw_barrier
                    }
                    going = changes[0] > CUTOFF * rows * columns;
                    done++;
                    #pragma acc fcw_barrier
                }
                if (lane == 0)
                    iterations[i] = done;
            }
        }
    }
}

/* All windows on the device. */
static void flow_all(const struct run *run)
{
    const int cells = run->cells, rows = run->rows, columns = run->columns;
    const struct motion *motions = run->motions;
    const float (*edges)[rows][columns] = (const float (*)[rows][columns])run->edges;
    float (*fields)[rows][columns] = (float (*)[rows][columns])run->fields;
    int *iterations = run->iterations;

    #pragma acc data copyin(motions[0:cells], edges[0:cells][0:rows][0:columns]) \
                     copy(fields[0:cells][0:rows][0:columns]) copyout(iterations[0:cells])
    flow(cells, rows, columns, run->most, motions, edges, fields, iterations);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    flow_all(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
