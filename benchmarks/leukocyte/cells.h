/*
 * The cells that leukocyte follows, and the input of a run: shared by all forms.
 *
 * The task is the heart of the tracking of the Rodinia suite: around the last place of each white
 * blood cell there is a window of an image's edges. Their motion gradient vector flow (Ray and
 * Acton, 2004) makes a field of it that leads to the cell's rim from far off: each pixel gives way to
 * its eight neighbours, above all along the direction the cell moves in, and is pulled back to the
 * edges where these are strong; that is iterated until the field hardly changes.
 *
 * Left out of Rodinia's: its files of AVI, the detection of cells in the first frame, the gradients
 * that make windows of edges out of frames, and the splines that settle in the field as a cell's rim.
 *
 * No function of the math library is called: the step function is a rational one in the place of the
 * arc tangent's. Changes are added up as whole multiples of 2^-16, which is exact in any order.
 */
#ifndef BENCHMARKS_LEUKOCYTE_CELLS_H
#define BENCHMARKS_LEUKOCYTE_CELLS_H

#include <limits.h>
#include <math.h>

#include "../common/grid.h"

#define WEIGHT 0.1f      /* how far a pixel gives way to each neighbour */
#define PULL 0.2f        /* how far it is pulled back to an edge of 1 */
#define SOFTNESS 0.02f   /* the step function is at 3/4 there */
#define CUTOFF 64        /* 2^-16: the mean change of a pixel that ends the iterations */
#define MOST_ROWS 41     /* of a window, as Rodinia's */
#define MOST_COLUMNS 81

/* The direction that a cell moves in. */
struct motion {
    float down, right;
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int cells, rows, columns, most; /* extents of a window, and how many iterations there may be */
    struct motion *motions;
    float *edges;       /* cells x rows x columns, from 0 to 1 */
    float *fields;      /* the same, at first the edges */
    int *iterations;    /* of each cell: how many it took */
    const char *output; /* file for fields and iterations; NULL: none is asked for */
};

static inline size_t run_pixels(const struct run *run)
{
    return (size_t)(run->rows * run->columns) * (size_t)run->cells;
}

/* A row, or column, of the window nearest to one that may be outside. */
ON_DEVICE static inline int clamped(int i, int count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

/* What a pixel takes from a neighbour that has `difference` more, in that direction. */
ON_DEVICE static inline float taken(struct motion motion, int down, int right, float difference)
{
    const float along = difference * ((float)down * motion.down + (float)right * motion.right);
    return difference * (0.5f + 0.5f * along / (SOFTNESS + fabsf(along)));
}

/* A pixel of the field after an iteration; `sum` is what it takes from all neighbours. */
ON_DEVICE static inline float advanced(float own, float sum, float edge)
{
    const float moved = own + WEIGHT * sum;
    return moved - PULL * edge * (moved - edge);
}

/* By how much a pixel changes, in multiples of 2^-16. */
ON_DEVICE static inline int change_of(float before, float after)
{
    return (int)(fabsf(after - before) * 65536.0f);
}

/* A window: a bright rim around a cell that has moved a little, and noise. */
static inline void window_generate(const struct run *run, float *edges, uint64_t *seed)
{
    const float radius = 0.3f * (float)(run->rows < run->columns ? run->rows : run->columns);
    const float middle_row = (float)run->rows * (0.4f + 0.2f * random_float(seed));
    const float middle_column = (float)run->columns * (0.4f + 0.2f * random_float(seed));
    for (int row = 0; row < run->rows; row++) {
        for (int column = 0; column < run->columns; column++) {
            const float y = (float)row - middle_row, x = (float)column - middle_column;
            const float off = fabsf(sqrtf(y * y + x * x) - radius);
            *edges++ = off < 1.0f ? 0.6f + 0.4f * random_float(seed) : 0.3f * random_float(seed);
        }
    }
}

/* CELLS ROWS COLUMNS ITERATIONS SEED [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 6 && argc != 7)
        fail("usage: %s CELLS ROWS COLUMNS ITERATIONS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.cells = number_argument(argv[1], 1, 65535, "cells");
    run.rows = number_argument(argv[2], 1, MOST_ROWS, "rows");
    run.columns = number_argument(argv[3], 1, MOST_COLUMNS, "columns");
    run.most = number_argument(argv[4], 0, 1000000, "iterations");
    uint64_t seed = (uint64_t)number_argument(argv[5], 0, INT32_MAX, "seed");
    run.output = argc == 7 ? argv[6] : NULL;
    const size_t cells = (size_t)run.cells, pixels = run_pixels(&run);
    run.motions = (struct motion *)allocate(cells, sizeof *run.motions);
    run.iterations = (int *)allocate(cells, sizeof *run.iterations);
    run.edges = grid_allocate(pixels);
    run.fields = grid_allocate(pixels);
    for (size_t i = 0; i < cells; i++) {
        run.motions[i].down = 2.0f * random_float(&seed) - 1.0f;
        run.motions[i].right = 2.0f * random_float(&seed) - 1.0f;
        window_generate(&run, run.edges + i * (size_t)(run.rows * run.columns), &seed);
    }
    memcpy(run.fields, run.edges, pixels * sizeof *run.fields);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t cells = (size_t)run->cells, pixels = run_pixels(run);
    printf("leukocyte %d windows of %dx%d, at most %d iterations: checksum %016llx\n", run->cells,
           run->rows, run->columns, run->most,
           checksum(run->fields, pixels, sizeof *run->fields) ^
               checksum(run->iterations, cells, sizeof *run->iterations) << 1);
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        grid_print(file, run->fields, pixels);
        for (size_t i = 0; i < cells; i++)
            fprintf(file, "%d\n", run->iterations[i]);
        output_close(file, run->output);
    }
    free(run->motions);
    free(run->iterations);
    free(run->edges);
    free(run->fields);
}

#endif
