/*
 * European options, what the model of Black and Scholes says that they are worth, and the input of a
 * run: shared by all forms of blackscholes.
 */
#ifndef BENCHMARKS_BLACKSCHOLES_OPTIONS_H
#define BENCHMARKS_BLACKSCHOLES_OPTIONS_H

#include <math.h>

#include "../common/grid.h"

#define RATE 0.02f       /* riskless, per year */
#define VOLATILITY 0.30f /* of the shares, per year */

/* A run as the command line gives it, its input in memory: one element an option. */
struct run {
    int count;
    float *price;       /* of the share today */
    float *strike;      /* price at which it may be bought or sold */
    float *years;       /* until then */
    float *call, *put;  /* what the right to buy is worth, and the right to sell */
    const char *output; /* file for these; NULL: none is asked for */
};

struct worth {
    float call, put;
};

/*
 * The cumulative normal distribution, by the polynomial of Abramowitz and Stegun (26.2.17), which is
 * right to 7.5e-8.
 */
ON_DEVICE static inline float normal(float d)
{
    const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    const float tail =
        0.39894228f * expf(-0.5f * d * d) *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0.0f ? 1.0f - tail : tail;
}

/* An option of these terms. */
ON_DEVICE static inline struct worth option_worth(float price, float strike, float years)
{
    const float deviation = VOLATILITY * sqrtf(years);
    const float d1 =
        (logf(price / strike) + (RATE + 0.5f * VOLATILITY * VOLATILITY) * years) / deviation;
    const float d2 = d1 - deviation;
    const float in = normal(d1), exercised = normal(d2);
    const float discounted = strike * expf(-RATE * years);
    struct worth worth;
    worth.call = price * in - discounted * exercised;
    worth.put = discounted * (1.0f - exercised) - price * (1.0f - in);
    return worth;
}

/* OPTIONS SEED [OUTPUT]: shares at 5 to 30, strikes from 1 to 100, a quarter to ten years. */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 3 && argc != 4)
        fail("usage: %s OPTIONS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.count = number_argument(argv[1], 1, 1 << 28, "options");
    uint64_t seed = (uint64_t)number_argument(argv[2], 0, INT32_MAX, "seed");
    run.output = argc == 4 ? argv[3] : NULL;
    const size_t count = (size_t)run.count;
    run.price = grid_allocate(count);
    run.strike = grid_allocate(count);
    run.years = grid_allocate(count);
    run.call = grid_allocate(count);
    run.put = grid_allocate(count);
    for (size_t i = 0; i < count; i++) {
        run.price[i] = 5.0f + 25.0f * random_float(&seed);
        run.strike[i] = 1.0f + 99.0f * random_float(&seed);
        run.years[i] = 0.25f + 9.75f * random_float(&seed);
    }
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the options. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t count = (size_t)run->count;
    printf("blackscholes %d: checksum %016llx\n", run->count,
           checksum(run->call, count, sizeof *run->call) ^
               checksum(run->put, count, sizeof *run->put));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        grid_print(file, run->call, count);
        grid_print(file, run->put, count);
        output_close(file, run->output);
    }
    free(run->price);
    free(run->strike);
    free(run->years);
    free(run->call);
    free(run->put);
}

#endif
