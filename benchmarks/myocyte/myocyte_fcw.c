/*
 * Myocyte: heart cells by a Runge-Kutta method of Fehlberg's. The fcw form: a cell a thread, with
 * steps of its own; a block holds the weights of the method.
 *
 * usage: myocyte_fcw CELLS MILLISECONDS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "cell.h"

#ifndef TILE
#define TILE 64 /* cells of a block, and its threads */
#endif
#if TILE < 1 || TILE > 1024
#error "a block has one thread a cell, 1024 at most"
#endif

/* A step of `length` ms. Returns the sum of the variables' errors, relative. */
ON_DEVICE static inline float try_step(struct cell cell, float stimulus, float length,
                                       const float (*weights)[STAGES], const float *now,
                                       float *next)
{
    float slopes[STAGES][VARIABLES], error = 0.0f;
    for (int stage = 0; stage <= STAGES; stage++) { /* the last is the end of the step */
        for (int v = 0; v < VARIABLES; v++) {
            float sum = 0.0f;
            for (int before = 0; before < stage; before++)
                sum += weights[stage][before] * slopes[before][v];
            next[v] = now[v] + length * sum;
        }
        if (stage < STAGES)
            derive(cell, stimulus, next, slopes[stage]);
    }
    for (int v = 0; v < VARIABLES; v++) {
        const float own = 41.0f / 840.0f * length *
                          (slopes[0][v] + slopes[10][v] - slopes[11][v] - slopes[12][v]);
        error += fabsf(own) / magnitude(v, now[v]);
    }
    return error;
}

/* A millisecond of all cells. */
static void advance(int count, int ms, const struct cell *restrict cells,
                    const float (*restrict weights)[STAGES], float (*restrict states)[count],
                    int *restrict steps)
{
    #pragma acc parallel loop vector_length(TILE) present(cells, weights, states, steps)
    for (int i = 0; i < count; i++) {
        const struct cell cell = cells[i];
        const int excited = ms >= cell.excited && ms < cell.excited + STIMULATED;
        const float stimulus = excited ? STIMULUS : 0.0f;
        float time = 0.0f, length = 1.0f, now[VARIABLES], next[VARIABLES];
        int tried = 0;
        for (int v = 0; v < VARIABLES; v++)
            now[v] = states[v][i];
        #pragma acc fcw FETCH_ONLY(weights[0:0:STAGES:0:0:STAGES - 1])
        for (; time < 1.0f; tried++) {
            const float error = try_step(cell, stimulus, length, weights, now, next);
            if (error <= TOLERANCE || length <= SHORTEST) {
                for (int v = 0; v < VARIABLES; v++)
                    now[v] = next[v];
                time += length;
                if (error < TOLERANCE / 256.0f && is_whole(time, 2.0f * length))
                    length *= 2.0f;
            } else {
                length *= 0.5f;
            }
        }
        for (int v = 0; v < VARIABLES; v++)
            states[v][i] = now[v];
        steps[i] += tried;
    }
}

/* All milliseconds on the device. */
static void simulate(const struct run *run)
{
    const int count = run->count;
    const struct cell *cells = run->cells;
    const float (*weights)[STAGES] = (const float (*)[STAGES])run->weights;
    float (*states)[count] = (float (*)[count])run->states;
    int *steps = run->steps;

    #pragma acc data copyin(cells[0:count], weights[0:STAGES + 1][0:STAGES]) \
                     copy(states[0:VARIABLES][0:count], steps[0:count])
    for (int ms = 0; ms < run->milliseconds; ms++)
        advance(count, ms, cells, weights, states, steps);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
