/*
 * Shells of electrons of two molecules, the repulsion between them, and the input of a run: shared by
 * all forms of rpes.
 *
 * A shell is a sum of PRIMITIVES Gaussians around its atom (s functions). The product of two Gaussians
 * is one Gaussian between them, so that a pair of shells is a sum of PAIRS of these. The repulsion of
 * two of them has an integral that Rys' quadrature replaces by a sum over roots of a polynomial; for s
 * functions there is one root, and its weight is all that is needed: a polynomial on each of INTERVALS
 * intervals, and beyond them what it comes to for large arguments. The factor 2 pi^(5/2), common to all,
 * is left out.
 */
#ifndef BENCHMARKS_RPES_SHELLS_H
#define BENCHMARKS_RPES_SHELLS_H

#include <math.h>

#include "../common/grid.h"

#define PRIMITIVES 3
#define PAIRS (PRIMITIVES * PRIMITIVES)
#define TERMS 8 /* of a polynomial */
#define INTERVALS 8
#define LENGTH 2.0f              /* of an interval */
#define HALF_PI_ROOT 0.88622693f /* half the square root of pi */

/* Coefficients of powers of what x is from the middle of its interval. */
struct weights {
    float term[INTERVALS][TERMS];
};

/* A Gaussian of charge; `strength` has what does not depend on its partner. */
struct gaussian {
    float x, y, z;
    float exponent;
    float strength;
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int rows, columns;    /* pairs of shells of the first molecule, and of the second */
    struct gaussian *bra; /* rows x PAIRS */
    struct gaussian *ket; /* columns x PAIRS */
    struct weights weights;
    float *repulsion;     /* the result, rows x columns */
    const char *output;   /* file for it; NULL: none is asked for */
};

/* The weight of Rys' quadrature with one root: the integral of exp(-x t^2) for t from 0 to 1. */
ON_DEVICE static inline float rys_weight(float x, const struct weights *weights)
{
    const int interval = (int)(x / LENGTH);
    if (interval >= INTERVALS)
        return HALF_PI_ROOT / sqrtf(x);
    const float *term = weights->term[interval];
    const float from_middle = x - LENGTH * ((float)interval + 0.5f);
    float sum = term[TERMS - 1];
    for (int i = TERMS - 2; i >= 0; i--)
        sum = sum * from_middle + term[i];
    return sum;
}

/* How strongly two Gaussians of charge repel each other. */
ON_DEVICE static inline float gaussian_repulsion(struct gaussian a, struct gaussian b,
                                                 const struct weights *weights)
{
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    const float sum = a.exponent + b.exponent;
    const float reduced = a.exponent * b.exponent / sum;
    return a.strength * b.strength / sqrtf(sum) *
           rys_weight(reduced * (x * x + y * y + z * z), weights);
}

/* The weight for an x of 16 at most, by its series. */
static inline double weight_exact(double x)
{
    double term = exp(-x), sum = 0.0;
    for (int i = 0; term > 1e-18; i++) {
        term /= 2 * i + 1;
        sum += term;
        term *= 2.0 * x;
    }
    return sum;
}

/* The polynomials that meet the weight at Chebyshev's nodes, by Newton's divided differences. */
static inline struct weights weights_fit(void)
{
    struct weights weights;
    for (int interval = 0; interval < INTERVALS; interval++) {
        double node[TERMS], difference[TERMS], power[TERMS] = {0.0};
        for (int i = 0; i < TERMS; i++) {
            node[i] = 0.5 * LENGTH * cos(3.14159265358979323846 * (i + 0.5) / TERMS);
            difference[i] = weight_exact(LENGTH * (interval + 0.5) + node[i]);
        }
        for (int order = 1; order < TERMS; order++)
            for (int i = TERMS - 1; i >= order; i--)
                difference[i] = (difference[i] - difference[i - 1]) / (node[i] - node[i - order]);
        for (int i = TERMS - 1; i >= 0; i--) { /* from Newton's form to powers */
            for (int n = TERMS - 1; n > 0; n--)
                power[n] = power[n - 1] - node[i] * power[n];
            power[0] = difference[i] - node[i] * power[0];
        }
        for (int i = 0; i < TERMS; i++)
            weights.term[interval][i] = (float)power[i];
    }
    return weights;
}

/* A shell: its place, and Gaussians that are the narrower the further from the first. */
struct shell {
    double place[3];
    double exponent[PRIMITIVES], coefficient[PRIMITIVES];
};

/* The Gaussians of all pairs of `count` made-up shells, in a cube of side 4 whose corner is at `x`. */
static inline struct gaussian *pairs_generate(int count, double x, uint64_t *seed)
{
    struct shell *shells = (struct shell *)allocate((size_t)count, sizeof *shells);
    const size_t pairs = (size_t)count * (size_t)(count + 1) / 2;
    struct gaussian *gaussians = (struct gaussian *)allocate(pairs * PAIRS, sizeof *gaussians);
    struct gaussian *next = gaussians;

    for (int i = 0; i < count; i++) {
        double exponent = 0.1 + 0.4 * random_float(seed);
        for (int axis = 0; axis < 3; axis++)
            shells[i].place[axis] = (axis == 0 ? x : 0.0) + 4.0 * random_float(seed);
        for (int p = 0; p < PRIMITIVES; p++, exponent *= 4.0) {
            shells[i].exponent[p] = exponent;
            shells[i].coefficient[p] = (0.2 + 0.4 * random_float(seed)) * pow(exponent, 0.75);
        }
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++)
            for (int p = 0; p < PAIRS; p++, next++) {
                const struct shell *a = &shells[i], *b = &shells[j];
                const double a_exponent = a->exponent[p / PRIMITIVES];
                const double b_exponent = b->exponent[p % PRIMITIVES];
                const double sum = a_exponent + b_exponent;
                double center[3], distance = 0.0;
                for (int axis = 0; axis < 3; axis++) {
                    const double apart = a->place[axis] - b->place[axis];
                    distance += apart * apart;
                    center[axis] =
                        (a_exponent * a->place[axis] + b_exponent * b->place[axis]) / sum;
                }
                next->x = (float)center[0];
                next->y = (float)center[1];
                next->z = (float)center[2];
                next->exponent = (float)sum;
                next->strength = (float)(a->coefficient[p / PRIMITIVES] *
                                         b->coefficient[p % PRIMITIVES] / sum *
                                         exp(-a_exponent * b_exponent / sum * distance));
            }
    free(shells);
    return gaussians;
}

/* SHELLS SHELLS SEED [OUTPUT]: the shells of two molecules. */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        fail("usage: %s SHELLS SHELLS SEED [OUTPUT]", argv[0]);
    struct run run;
    const int first = number_argument(argv[1], 1, 500, "shells");
    const int second = number_argument(argv[2], 1, 500, "shells");
    uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
    run.output = argc == 5 ? argv[4] : NULL;
    run.rows = first * (first + 1) / 2;
    run.columns = second * (second + 1) / 2;
    run.bra = pairs_generate(first, 0.0, &seed);
    run.ket = pairs_generate(second, 3.0, &seed);
    run.weights = weights_fit();
    run.repulsion = grid_allocate((size_t)run.rows * (size_t)run.columns);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t count = (size_t)run->rows * (size_t)run->columns;
    printf("rpes %d by %d pairs: checksum %016llx\n", run->rows, run->columns,
           checksum(run->repulsion, count, sizeof *run->repulsion));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        grid_write(run->output, run->repulsion, count);
    free(run->bra);
    free(run->ket);
    free(run->repulsion);
}

#endif
