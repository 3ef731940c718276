/*
 * The fields that fdtd follows through time, and the input of a run: shared by all forms.
 *
 * The method is Yee's: a plane of rows x columns square cells, the magnetic field hz (it stands
 * upright on the plane) in the middle of each, the electric field along the cells' edges: ex on
 * those between rows, ey on those between columns. The magnetic field goes on by the curl of the
 * electric one, then that by the curl of the magnetic. Around the plane are conductors, along which
 * the electric field stays zero.
 */
#ifndef BENCHMARKS_FDTD_FIELDS_H
#define BENCHMARKS_FDTD_FIELDS_H

#include "../common/grid.h"

#define COURANT 0.5f /* speed of light x time step / side of a cell; stable below 1 / sqrt(2) */

/* A run as the command line gives it, its input in memory. */
struct run {
    int rows, columns, steps;
    float *ex;          /* rows + 1 x columns */
    float *ey;          /* rows x columns + 1 */
    float *hz;          /* rows x columns */
    const char *output; /* file for ex, ey and hz; NULL: none is asked for */
};

static inline size_t run_ex_count(const struct run *run)
{
    return ((size_t)run->rows + 1) * (size_t)run->columns;
}

static inline size_t run_ey_count(const struct run *run)
{
    return (size_t)run->rows * ((size_t)run->columns + 1);
}

static inline size_t run_hz_count(const struct run *run)
{
    return (size_t)run->rows * (size_t)run->columns;
}

/* ROWS COLUMNS STEPS SEED [OUTPUT]: no electric field yet, a magnetic one from -1 to 1. */
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
    run.ex = grid_allocate(run_ex_count(&run));
    run.ey = grid_allocate(run_ey_count(&run));
    run.hz = grid_allocate(run_hz_count(&run));
    memset(run.ex, 0, run_ex_count(&run) * sizeof *run.ex);
    memset(run.ey, 0, run_ey_count(&run) * sizeof *run.ey);
    for (size_t i = 0; i < run_hz_count(&run); i++)
        run.hz[i] = 2.0f * random_float(&seed) - 1.0f;
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the fields. */
static inline void run_finish(const struct run *run, double seconds)
{
    const unsigned long long checksums[] = {
        checksum(run->ex, run_ex_count(run), sizeof *run->ex),
        checksum(run->ey, run_ey_count(run), sizeof *run->ey),
        checksum(run->hz, run_hz_count(run), sizeof *run->hz),
    };
    printf("fdtd %dx%d, %d steps: checksum %016llx\n", run->rows, run->columns, run->steps,
           checksum(checksums, 3, sizeof *checksums));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        grid_print(file, run->ex, run_ex_count(run));
        grid_print(file, run->ey, run_ey_count(run));
        grid_print(file, run->hz, run_hz_count(run));
        output_close(file, run->output);
    }
    free(run->ex);
    free(run->ey);
    free(run->hz);
}

#endif
