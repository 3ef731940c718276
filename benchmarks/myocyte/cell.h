/*
 * The heart cells that myocyte simulates, and the input of a run: shared by all forms.
 *
 * The task is that of the Rodinia suite: many cells of the heart's muscle, each a system of
 * differential equations, by a Runge-Kutta method of Fehlberg's with steps as short as its estimate
 * of the error asks for. The cells are those of Beeler and Reuter (1977), with eight variables in the
 * place of Rodinia's 91; the method is Fehlberg's of orders 7 and 8, as there. A step is halved
 * where the error is too large, and doubled where it is small; all end at whole milliseconds.
 *
 * No function of the math library is called: powers of e and logarithms are computed here.
 */
#ifndef BENCHMARKS_MYOCYTE_CELL_H
#define BENCHMARKS_MYOCYTE_CELL_H

#include <math.h>

#include "../common/grid.h"

#define VARIABLES 8
#define STAGES 13
#define TOLERANCE 1e-4f     /* of the errors of a step, relative */
#define SHORTEST 0.0078125f /* ms: steps are not shorter, whatever the error */
#define STIMULUS 25.0f      /* uA / cm^2: what a cell is excited by */
#define STIMULATED 2        /* ms, from the millisecond of the cell on */

/* The variables of a cell. */
enum { VOLTAGE, CALCIUM, GATE_X, GATE_M, GATE_H, GATE_J, GATE_D, GATE_F };

/* What is special about a cell. */
struct cell {
    float sodium, slow; /* conductances, mS / cm^2 */
    int excited;        /* the millisecond in which its stimulus begins */
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int count, milliseconds;
    struct cell *cells;
    float *states;      /* variables x cells */
    int *steps;         /* of each cell: how many were tried */
    float *weights;     /* for each stage, and the step, what it takes of those before */
    const char *output; /* file for the states and steps; NULL: none is asked for */
};

/* e to that power; one out of range counts as the nearest in it. */
ON_DEVICE static inline float power_of_e(float x)
{
    x = !(x > -80.0f) ? -80.0f : x > 80.0f ? 80.0f : x; /* what is no number, too */
    const int doublings = (int)(x * 1.44269504f + (x < 0.0f ? -0.5f : 0.5f));
    const float rest = x - (float)doublings * 0.693145752f - (float)doublings * 1.42860677e-6f;
    float power = 1.0f, factor = doublings < 0 ? 0.5f : 2.0f;
    for (int i = 7; i > 0; i--)
        power = 1.0f + power * rest / (float)i;
    for (int left = doublings < 0 ? -doublings : doublings; left > 0; left /= 2) {
        if (left % 2 == 1)
            power *= factor;
        factor *= factor;
    }
    return power;
}

/* The natural logarithm of a value that is positive and not above 1. */
ON_DEVICE static inline float logarithm(float x)
{
    int halvings = 0;
    for (; x < 0.70710678f && halvings < 100; halvings++)
        x *= 2.0f;
    const float s = (x - 1.0f) / (x + 1.0f), square = s * s;
    const float series =
        1.0f + square * (1.0f / 3.0f + square * (0.2f + square * (1.0f / 7.0f + square / 9.0f)));
    return 2.0f * s * series - (float)halvings * 0.693147181f;
}

/* x / (1 - e^(-k x)), which goes on through 0. */
ON_DEVICE static inline float ratio(float x, float k)
{
    if (fabsf(k * x) < 1e-3f)
        return 1.0f / k + 0.5f * x;
    return x / (1.0f - power_of_e(-k * x));
}

/* How fast gates open or close, per ms: a power of e by another one. */
ON_DEVICE static inline float rate(float voltage, float scale, float above, float at, float below)
{
    const float from = voltage + at;
    return scale * power_of_e(above * from) / (power_of_e(below * from) + 1.0f);
}

/* By how much a gate opens per ms. */
ON_DEVICE static inline float opening(float gate, float opens, float closes)
{
    return opens * (1.0f - gate) - closes * gate;
}

/* The derivatives of a cell's variables, per ms (Beeler and Reuter, tables 1 and 2). */
ON_DEVICE static inline void derive(struct cell cell, float stimulus, const float *y, float *slope)
{
    const float v = y[VOLTAGE];
    const float e4 = power_of_e(0.04f * (v + 53.0f));
    const float potassium = 0.35f * (4.0f * (power_of_e(0.04f * (v + 85.0f)) - 1.0f) /
                                         (power_of_e(0.08f * (v + 53.0f)) + e4) +
                                     0.2f * ratio(v + 23.0f, 0.04f));
    const float outward = y[GATE_X] * 0.8f * (power_of_e(0.04f * (v + 77.0f)) - 1.0f) /
                          power_of_e(0.04f * (v + 35.0f));
    const float open = y[GATE_M] * y[GATE_M] * y[GATE_M] * y[GATE_H] * y[GATE_J];
    const float sodium = (cell.sodium * open + 0.003f) * (v - 50.0f);
    const float reversal = -82.3f - 13.0287f * logarithm(y[CALCIUM]);
    const float slow = cell.slow * y[GATE_D] * y[GATE_F] * (v - reversal);

    slope[VOLTAGE] = stimulus - (potassium + outward + sodium + slow);
    slope[CALCIUM] = 0.07f * (1e-7f - y[CALCIUM]) - 1e-7f * slow;
    slope[GATE_X] = opening(y[GATE_X], rate(v, 0.0005f, 0.083f, 50.0f, 0.057f),
                            rate(v, 0.0013f, -0.06f, 20.0f, -0.04f));
    slope[GATE_M] = opening(y[GATE_M], ratio(v + 47.0f, 0.1f),
                            40.0f * power_of_e(-0.056f * (v + 72.0f)));
    slope[GATE_H] = opening(y[GATE_H], 0.126f * power_of_e(-0.25f * (v + 77.0f)),
                            rate(v, 1.7f, 0.0f, 22.5f, -0.082f));
    slope[GATE_J] = opening(y[GATE_J], rate(v, 0.055f, -0.25f, 78.0f, -0.2f),
                            rate(v, 0.3f, 0.0f, 32.0f, -0.1f));
    slope[GATE_D] = opening(y[GATE_D], rate(v, 0.095f, -0.01f, -5.0f, -0.072f),
                            rate(v, 0.07f, -0.017f, 44.0f, 0.05f));
    slope[GATE_F] = opening(y[GATE_F], rate(v, 0.012f, -0.008f, 28.0f, 0.15f),
                            rate(v, 0.0065f, -0.02f, 30.0f, -0.2f));
}

/* What a variable is at least, for an error that is relative to it. */
ON_DEVICE static inline float magnitude(int variable, float value)
{
    const float least = variable == VOLTAGE ? 1.0f : variable == CALCIUM ? 1e-7f : 1e-2f;
    return fabsf(value) < least ? least : fabsf(value);
}

/* Whether a time is a whole number of steps of that length; both are multiples of a power of 2. */
ON_DEVICE static inline int is_whole(float time, float length)
{
    return (float)(int)(time / length) * length == time;
}

/* Fehlberg's weights (NASA TR R-287, table X): a row for each stage, and one for the step. */
static inline float *weights_of_method(void)
{
    static const float rows[STAGES][STAGES] = {
        {0.0f},
        {2.0f / 27.0f},
        {1.0f / 36.0f, 1.0f / 12.0f},
        {1.0f / 24.0f, 0.0f, 1.0f / 8.0f},
        {5.0f / 12.0f, 0.0f, -25.0f / 16.0f, 25.0f / 16.0f},
        {1.0f / 20.0f, 0.0f, 0.0f, 1.0f / 4.0f, 1.0f / 5.0f},
        {-25.0f / 108.0f, 0.0f, 0.0f, 125.0f / 108.0f, -65.0f / 27.0f, 125.0f / 54.0f},
        {31.0f / 300.0f, 0.0f, 0.0f, 0.0f, 61.0f / 225.0f, -2.0f / 9.0f, 13.0f / 900.0f},
        {2.0f, 0.0f, 0.0f, -53.0f / 6.0f, 704.0f / 45.0f, -107.0f / 9.0f, 67.0f / 90.0f, 3.0f},
        {-91.0f / 108.0f, 0.0f, 0.0f, 23.0f / 108.0f, -976.0f / 135.0f, 311.0f / 54.0f,
         -19.0f / 60.0f, 17.0f / 6.0f, -1.0f / 12.0f},
        {2383.0f / 4100.0f, 0.0f, 0.0f, -341.0f / 164.0f, 4496.0f / 1025.0f, -301.0f / 82.0f,
         2133.0f / 4100.0f, 45.0f / 82.0f, 45.0f / 164.0f, 18.0f / 41.0f},
        {3.0f / 205.0f, 0.0f, 0.0f, 0.0f, 0.0f, -6.0f / 41.0f, -3.0f / 205.0f, -3.0f / 41.0f,
         3.0f / 41.0f, 6.0f / 41.0f},
        {-1777.0f / 4100.0f, 0.0f, 0.0f, -341.0f / 164.0f, 4496.0f / 1025.0f, -289.0f / 82.0f,
         2193.0f / 4100.0f, 51.0f / 82.0f, 33.0f / 164.0f, 12.0f / 41.0f, 0.0f, 1.0f}};
    float *weights = grid_allocate((STAGES + 1) * STAGES);
    static const float step[STAGES] = {41.0f / 840.0f, 0.0f, 0.0f, 0.0f, 0.0f,
                                       34.0f / 105.0f, 9.0f / 35.0f, 9.0f / 35.0f,
                                       9.0f / 280.0f, 9.0f / 280.0f, 41.0f / 840.0f};
    memcpy(weights, rows, sizeof rows);
    memcpy(weights + STAGES * STAGES, step, sizeof step);
    return weights;
}

/* CELLS MILLISECONDS SEED [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        fail("usage: %s CELLS MILLISECONDS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.count = number_argument(argv[1], 1, 1 << 24, "cells");
    run.milliseconds = number_argument(argv[2], 0, 100000, "milliseconds");
    uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
    run.output = argc == 5 ? argv[4] : NULL;

    static const float at_rest[VARIABLES] = {-84.6f,   1.8e-7f, 0.0057f, 0.011f,
                                             0.988f, 0.975f, 0.003f, 0.994f};
    const size_t count = (size_t)run.count;
    run.cells = (struct cell *)allocate(count, sizeof *run.cells);
    run.states = grid_allocate(VARIABLES * count);
    run.steps = (int *)allocate(count, sizeof *run.steps);
    run.weights = weights_of_method();
    for (size_t i = 0; i < count; i++) {
        run.cells[i].sodium = 3.2f + 1.6f * random_float(&seed);
        run.cells[i].slow = 0.07f + 0.04f * random_float(&seed);
        run.cells[i].excited = (int)(random_bits(&seed) % 8);
        for (size_t v = 0; v < VARIABLES; v++)
            run.states[v * count + i] = at_rest[v];
        run.steps[i] = 0;
    }
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t count = (size_t)run->count;
    printf("myocyte %d cells, %d ms: checksum %016llx\n", run->count, run->milliseconds,
           checksum(run->states, VARIABLES * count, sizeof *run->states) ^
               checksum(run->steps, count, sizeof *run->steps) << 1);
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        grid_print(file, run->states, VARIABLES * count);
        for (size_t i = 0; i < count; i++)
            fprintf(file, "%d\n", run->steps[i]);
        output_close(file, run->output);
    }
    free(run->cells);
    free(run->states);
    free(run->steps);
    free(run->weights);
}

#endif
