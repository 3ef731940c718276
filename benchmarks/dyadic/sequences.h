/*
 * The sequences that dyadic convolves, and the input of a run: shared by all forms.
 *
 * The dyadic convolution of two sequences has at k the sum of data[j ^ k] kernel[j] over all j,
 * both filled up with zeros to the next power of two. The values are integers, so that the direct
 * sum and the way by transforms give the same bits.
 */
#ifndef BENCHMARKS_DYADIC_SEQUENCES_H
#define BENCHMARKS_DYADIC_SEQUENCES_H

#include "../common/program.h"

#define LONGEST (1 << 26) /* 64 LONGEST^2, the most in a transform, fits 63 bits */

/* A run as the command line gives it, its input in memory. */
struct run {
    int data_count, kernel_count;
    int count; /* of values in each array: the next power of two */
    int64_t *data, *kernel, *result;
    const char *output; /* file for the result; NULL: none is asked for */
};

/* `count` values from -8 to 7 and zeros up to `room`. */
static inline int64_t *sequence_generate(int count, int room, uint64_t *seed)
{
    int64_t *values = (int64_t *)allocate((size_t)room, sizeof *values);
    for (int i = 0; i < room; i++)
        values[i] = i < count ? (int64_t)(random_bits(seed) % 16) - 8 : 0;
    return values;
}

/* DATA KERNEL SEED [OUTPUT]: how many values the two sequences have. */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        fail("usage: %s DATA KERNEL SEED [OUTPUT]", argv[0]);
    struct run run;
    run.data_count = number_argument(argv[1], 1, LONGEST, "data");
    run.kernel_count = number_argument(argv[2], 1, LONGEST, "kernel");
    uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
    run.output = argc == 5 ? argv[4] : NULL;
    run.count = 1;
    while (run.count < run.data_count || run.count < run.kernel_count)
        run.count *= 2;
    run.data = sequence_generate(run.data_count, run.count, &seed);
    run.kernel = sequence_generate(run.kernel_count, run.count, &seed);
    run.result = (int64_t *)allocate((size_t)run.count, sizeof *run.result);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the sequences. */
static inline void run_finish(const struct run *run, double seconds)
{
    printf("dyadic %d by %d: checksum %016llx\n", run->data_count, run->kernel_count,
           checksum(run->result, (size_t)run->count, sizeof *run->result));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (int i = 0; i < run->count; i++)
            fprintf(file, "%lld\n", (long long)run->result[i]);
        output_close(file, run->output);
    }
    free(run->data);
    free(run->kernel);
    free(run->result);
}

#endif
