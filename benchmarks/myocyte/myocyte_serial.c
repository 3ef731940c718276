/*
 * Myocyte: heart cells by a Runge-Kutta method of Fehlberg's. The serial form.
 *
 * usage: myocyte_serial CELLS MILLISECONDS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "cell.h"

/* A step of `length` ms. Returns the sum of the variables' errors, relative. */
static float try_step(struct cell cell, float stimulus, float length,
                      const float (*weights)[STAGES], const float *now, float *next)
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

/* A millisecond of a cell. Returns how many steps were tried. */
static int advance(struct cell cell, float stimulus, const float (*weights)[STAGES], float *now)
{
    float time = 0.0f, length = 1.0f, next[VARIABLES];
    int steps = 0;
    for (; time < 1.0f; steps++) {
        const float error = try_step(cell, stimulus, length, weights, now, next);
        if (!(error <= TOLERANCE) && length > SHORTEST) {
            length *= 0.5f;
            continue;
        }
        memcpy(now, next, sizeof next);
        time += length;
        if (error < TOLERANCE / 256.0f && is_whole(time, 2.0f * length))
            length *= 2.0f;
    }
    return steps;
}

static void simulate(const struct run *run)
{
    const float (*weights)[STAGES] = (const float (*)[STAGES])run->weights;
    for (int i = 0; i < run->count; i++) {
        const struct cell cell = run->cells[i];
        float now[VARIABLES];
        for (int v = 0; v < VARIABLES; v++)
            now[v] = run->states[v * run->count + i];
        for (int ms = 0; ms < run->milliseconds; ms++) {
            const int excited = ms >= cell.excited && ms < cell.excited + STIMULATED;
            run->steps[i] += advance(cell, excited ? STIMULUS : 0.0f, weights, now);
        }
        for (int v = 0; v < VARIABLES; v++)
            run->states[v * run->count + i] = now[v];
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
