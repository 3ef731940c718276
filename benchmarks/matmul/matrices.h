/*
 * The matrices that matmul multiplies, and the input of a run: shared by all forms.
 */
#ifndef BENCHMARKS_MATMUL_MATRICES_H
#define BENCHMARKS_MATMUL_MATRICES_H

#include "../common/grid.h"

/* A run as the command line gives it, its input in memory: c = a b. */
struct run {
    int rows, inner, columns;
    float *a;           /* rows x inner */
    float *b;           /* inner x columns */
    float *c;           /* rows x columns */
    const char *output; /* file for the product; NULL: none is asked for */
};

/* A matrix with elements from -1 to 1. */
static inline float *matrix_generate(int rows, int columns, uint64_t *seed)
{
    const size_t count = (size_t)rows * (size_t)columns;
    float *values = grid_allocate(count);
    for (size_t i = 0; i < count; i++)
        values[i] = 2.0f * random_float(seed) - 1.0f;
    return values;
}

/* ROWS INNER COLUMNS SEED [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 5 && argc != 6)
        fail("usage: %s ROWS INNER COLUMNS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.rows = number_argument(argv[1], 1, 32768, "rows");
    run.inner = number_argument(argv[2], 1, 32768, "inner");
    run.columns = number_argument(argv[3], 1, 32768, "columns");
    uint64_t seed = (uint64_t)number_argument(argv[4], 0, INT32_MAX, "seed");
    run.output = argc == 6 ? argv[5] : NULL;
    run.a = matrix_generate(run.rows, run.inner, &seed);
    run.b = matrix_generate(run.inner, run.columns, &seed);
    run.c = grid_allocate((size_t)run.rows * (size_t)run.columns);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the matrices. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t count = (size_t)run->rows * (size_t)run->columns;
    printf("matmul %dx%dx%d: checksum %016llx\n", run->rows, run->inner, run->columns,
           checksum(run->c, count, sizeof *run->c));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        grid_write(run->output, run->c, count);
    free(run->a);
    free(run->b);
    free(run->c);
}

#endif
