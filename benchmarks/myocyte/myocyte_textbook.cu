/*
 * Myocyte: heart cells by a Runge-Kutta method of Fehlberg's. The textbook CUDA form: a cell a
 * thread, with steps of its own; a block holds the weights of the method.
 *
 * usage: myocyte_textbook CELLS MILLISECONDS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "cell.h"

#ifndef TILE
#define TILE 64 /* cells of a block, and its threads */
#endif
#if TILE < 1 || TILE > 1024
#error "a block has one thread a cell, 1024 at most"
#endif

/* A step of `length` ms. Returns the sum of the variables' errors, relative. */
__device__ static float try_step(struct cell cell, float stimulus, float length,
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

/* A millisecond of all cells. */
__global__ void __launch_bounds__(TILE)
    advance(int count, int ms, const struct cell *__restrict__ cells,
            const float (*__restrict__ weights)[STAGES], float *__restrict__ states,
            int *__restrict__ steps)
{
    __shared__ float tile_weights[STAGES + 1][STAGES];
    const int thread = threadIdx.x, i = blockIdx.x * TILE + thread;

    for (int slot = thread; slot < (STAGES + 1) * STAGES; slot += TILE)
        tile_weights[slot / STAGES][slot % STAGES] = weights[slot / STAGES][slot % STAGES];
    __syncthreads();
    if (i < count) {
        const struct cell cell = cells[i];
        const bool excited = ms >= cell.excited && ms < cell.excited + STIMULATED;
        const float stimulus = excited ? STIMULUS : 0.0f;
        float time = 0.0f, length = 1.0f, now[VARIABLES], next[VARIABLES];
        int tried = 0;
        for (int v = 0; v < VARIABLES; v++)
            now[v] = states[(size_t)v * count + i];
        for (; time < 1.0f; tried++) {
            const float error = try_step(cell, stimulus, length, tile_weights, now, next);
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
            states[(size_t)v * count + i] = now[v];
        steps[i] += tried;
    }
}

/* All milliseconds on the device. */
static void simulate(const struct run *run)
{
    const size_t count = (size_t)run->count;
    const device_array<struct cell> cells(run->cells, count);
    const device_array<float[STAGES]> weights((const float (*)[STAGES])run->weights, STAGES + 1);
    const device_array<float> states(run->states, VARIABLES * count);
    const device_array<int> steps(run->steps, count);

    for (int ms = 0; ms < run->milliseconds; ms++)
        device_launch("advance", [&] {
            advance<<<blocks_for(run->count, TILE), TILE>>>(run->count, ms, cells, weights, states,
                                                            steps);
        });
    states.download(run->states);
    steps.download(run->steps);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
