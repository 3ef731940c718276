/*
 * The plate whose steady temperature jacobi looks for, and the input of a run: shared by all forms.
 *
 * Inside, every cell goes to the mean of its four neighbours; the cells of the rim keep their
 * value. A plate with fewer than three rows or columns is all rim.
 */
#ifndef BENCHMARKS_JACOBI_PLATE_H
#define BENCHMARKS_JACOBI_PLATE_H

#include "../common/grid.h"

/* A run as the command line gives it, its input in memory twice: steps go from one to the other. */
struct run {
    int rows, columns, steps;
    float *front, *back;
    const char *output; /* file for the values; NULL: none is asked for */
};

/* ROWS COLUMNS STEPS SEED [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 5 && argc != 6)
        fail("usage: %s ROWS COLUMNS STEPS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.rows = number_argument(argv[1], 1, 32768, "rows");
    run.columns = number_argument(argv[2], 1, 32768, "columns");
    run.steps = number_argument(argv[3], 0, 1000000, "steps");
    uint64_t seed = (uint64_t)number_argument(argv[4], 0, INT32_MAX, "seed");
    run.output = argc == 6 ? argv[5] : NULL;
    const size_t cells = (size_t)run.rows * (size_t)run.columns;
    run.front = grid_allocate(cells);
    run.back = grid_allocate(cells);
    for (size_t i = 0; i < cells; i++)
        run.front[i] = run.back[i] = 100.0f * random_float(&seed);
    return run;
}

/*
 * The result line, the time on a line of its own, and the output file; frees the grids. `change` is
 * the most that a cell changed in the last step.
 */
static inline void run_finish(const struct run *run, const void *values, float change,
                              double seconds)
{
    const size_t cells = (size_t)run->rows * (size_t)run->columns;
    printf("jacobi %dx%d, %d steps, last change %.9g: checksum %016llx\n", run->rows, run->columns,
           run->steps, change, checksum(values, cells, sizeof(float)));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        grid_write(run->output, (const float *)values, cells);
    free(run->front);
    free(run->back);
}

#endif
