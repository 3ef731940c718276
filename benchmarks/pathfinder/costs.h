/*
 * The grid of costs that pathfinder crosses, and the input of a run: shared by all forms.
 *
 * The task is that of the Rodinia suite: a path goes from the first row to the last, one row a
 * step, to the cell below or to one of its two neighbours; what does the cheapest path to each
 * cell of the last row cost? As in Rodinia, a cell costs 0 to 9.
 */
#ifndef BENCHMARKS_PATHFINDER_COSTS_H
#define BENCHMARKS_PATHFINDER_COSTS_H

#include "../common/program.h"

/* A run as the command line gives it, its input in memory. */
struct run {
    int rows, columns;
    int *costs;         /* rows x columns */
    const char *output; /* file for the costs of the paths; NULL: none is asked for */
};

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

/* ROWS COLUMNS SEED [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        fail("usage: %s ROWS COLUMNS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.rows = number_argument(argv[1], 1, 1000000, "rows");
    run.columns = number_argument(argv[2], 1, 1 << 26, "columns");
    uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
    run.output = argc == 5 ? argv[4] : NULL;
    const size_t cells = (size_t)run.rows * (size_t)run.columns;
    run.costs = (int *)allocate(cells, sizeof *run.costs);
    for (size_t i = 0; i < cells; i++)
        run.costs[i] = (int)(random_bits(&seed) % 10);
    return run;
}

/* The result line, the time on a line of its own, and the output file. */
static inline void run_report(const struct run *run, const int *paths, double seconds)
{
    printf("pathfinder %dx%d: checksum %016llx\n", run->rows, run->columns,
           checksum(paths, (size_t)run->columns, sizeof *paths));
    printf("time %.6f s\n", seconds);
    if (run->output == NULL)
        return;
    FILE *file = output_open(run->output);
    for (int column = 0; column < run->columns; column++)
        fprintf(file, "%d\n", paths[column]);
    output_close(file, run->output);
}

#endif
