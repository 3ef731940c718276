/*
 * The network that backprop trains, and the input of a run: shared by all forms.
 *
 * As in the Rodinia suite: many inputs, a layer of hidden units, one output, and one step of
 * training. Row 0 of the weights belongs to an input that is always 1. The hidden units and the
 * output are few: what is computed for them is done here, by the host.
 *
 * Made-up inputs and weights have 9 and 13 bits with their signs, so that their products are exact
 * in float. Sums of the products are exact in double, and the same in any order.
 */
#ifndef BENCHMARKS_BACKPROP_NETWORK_H
#define BENCHMARKS_BACKPROP_NETWORK_H

#include <math.h>

#include "../common/grid.h"

#define RATE 0.3f     /* of learning */
#define MOMENTUM 0.3f /* how much of its last change a weight goes on with */
#define TARGET 0.9f   /* what the output should be */

/* A run as the command line gives it, its input in memory. */
struct run {
    int inputs, hidden;    /* units, without those that are always 1 */
    float *input;          /* inputs + 1 */
    float *weights;        /* (inputs + 1) x hidden */
    float *changes;        /* of the weights, at the step before */
    float *output_weights; /* hidden + 1 */
    float output;          /* what the network computed */
    const char *path;      /* file for the new weights; NULL: none is asked for */
};

static inline size_t run_weights(const struct run *run)
{
    return ((size_t)run->inputs + 1) * (size_t)run->hidden;
}

/* So many multiples of 2^-`bits` from -1 to 1, made up from a seed. */
static inline float *values_made_up(size_t count, int bits, uint64_t *seed)
{
    float *values = grid_allocate(count);
    const int64_t unit = (int64_t)1 << bits;
    for (size_t i = 0; i < count; i++) {
        const int64_t multiple = (int64_t)(random_bits(seed) % (uint64_t)(2 * unit)) - unit;
        values[i] = (float)multiple / (float)unit;
    }
    return values;
}

/*
 * So many inputs, the one that is always 1 before them. The more there are the smaller they are, by
 * powers of two, so that a hidden unit's sum of them is of about the same size and it can learn.
 */
static inline float *inputs_made_up(int inputs, uint64_t *seed)
{
    float *values = values_made_up((size_t)inputs + 1, 8, seed);
    int scale = 0;
    while (1 << (2 * scale) < inputs)
        scale++;
    values[0] = 1.0f;
    for (int i = 1; i <= inputs; i++)
        values[i] = ldexpf(values[i], -scale);
    return values;
}

/* INPUTS HIDDEN SEED [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        fail("usage: %s INPUTS HIDDEN SEED [OUTPUT]", argv[0]);
    struct run run;
    run.inputs = number_argument(argv[1], 1, 1 << 24, "inputs");
    run.hidden = number_argument(argv[2], 1, 1024, "hidden");
    uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
    run.path = argc == 5 ? argv[4] : NULL;
    run.output = 0.0f;
    run.input = inputs_made_up(run.inputs, &seed);
    run.weights = values_made_up(run_weights(&run), 12, &seed);
    run.changes = values_made_up(run_weights(&run), 12, &seed);
    run.output_weights = values_made_up((size_t)run.hidden + 1, 12, &seed);
    return run;
}

static inline float squash(double sum)
{
    return 1.0f / (1.0f + expf(-(float)sum));
}

/*
 * From the sums of the hidden units: the network's output, new weights for it, and in `errors` by
 * how much each hidden unit was wrong.
 */
static inline void output_layer(struct run *run, const double *sums, float *errors)
{
    double sum = (double)run->output_weights[0];
    for (int j = 0; j < run->hidden; j++)
        sum += (double)run->output_weights[j + 1] * (double)squash(sums[j]);
    const float output = squash(sum);
    const float error = output * (1.0f - output) * (TARGET - output);
    run->output = output;
    run->output_weights[0] += RATE * error;
    for (int j = 0; j < run->hidden; j++) {
        const float unit = squash(sums[j]);
        errors[j] = unit * (1.0f - unit) * error * run->output_weights[j + 1];
        run->output_weights[j + 1] += RATE * error * unit;
    }
}

/* The result line, the time on a line of its own, and the output file; frees the network. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t weights = run_weights(run);
    const size_t outputs = (size_t)run->hidden + 1;
    printf("backprop %d inputs, %d hidden, output %.9g: checksum %016llx\n", run->inputs,
           run->hidden, run->output,
           checksum(run->weights, weights, sizeof *run->weights) ^
               checksum(run->changes, weights, sizeof *run->changes) << 1 ^
               checksum(run->output_weights, outputs, sizeof *run->output_weights) << 2);
    printf("time %.6f s\n", seconds);
    if (run->path != NULL) {
        FILE *file = output_open(run->path);
        grid_print(file, run->output_weights, outputs);
        grid_print(file, run->weights, weights);
        grid_print(file, run->changes, weights);
        output_close(file, run->path);
    }
    free(run->input);
    free(run->weights);
    free(run->changes);
    free(run->output_weights);
}

#endif
