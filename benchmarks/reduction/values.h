/*
 * The values that reduction sums up, and the input of a run: shared by all forms.
 *
 * They are unsigned and their sum wraps, so that every order of additions gives the same bits.
 */
#ifndef BENCHMARKS_REDUCTION_VALUES_H
#define BENCHMARKS_REDUCTION_VALUES_H

#include "../common/program.h"

/* A run as the command line gives it, its input in memory. */
struct run {
    int count;
    unsigned *values;
    const char *output; /* file for the sum; NULL: none is asked for */
};

/* COUNT SEED [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 3 && argc != 4)
        fail("usage: %s COUNT SEED [OUTPUT]", argv[0]);
    struct run run;
    run.count = number_argument(argv[1], 1, 1 << 30, "count");
    uint64_t seed = (uint64_t)number_argument(argv[2], 0, INT32_MAX, "seed");
    run.output = argc == 4 ? argv[3] : NULL;
    run.values = (unsigned *)allocate((size_t)run.count, sizeof *run.values);
    for (int i = 0; i < run.count; i++)
        run.values[i] = (unsigned)(random_bits(&seed) >> 32);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the values. */
static inline void run_finish(const struct run *run, unsigned sum, double seconds)
{
    printf("reduction %d: checksum %016llx\n", run->count, checksum(&sum, 1, sizeof sum));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        fprintf(file, "%u\n", sum);
        output_close(file, run->output);
    }
    free(run->values);
}

#endif
