/*
 * Leukocyte: the motion gradient vector flow in windows around cells. The textbook CUDA form.
 *
 * As the fcw form: a block has a cell, its field, edges and next field in shared memory for all
 * iterations; the changes of all threads are added up by a tree.
 *
 * usage: leukocyte_textbook CELLS ROWS COLUMNS ITERATIONS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "cells.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/* The flow of all windows, which is in `fields` at the end, as the edges are before. */
__global__ void __launch_bounds__(BLOCK)
    flow(int rows, int columns, int most, const struct motion *__restrict__ motions,
         const float *__restrict__ edges, float *__restrict__ fields, int *__restrict__ iterations)
{
    extern __shared__ float now[]; /* and behind it what is next, and the edges */
    __shared__ int changes[BLOCK];
    const int i = blockIdx.x, lane = threadIdx.x, pixels = rows * columns;
    float *const next = now + pixels, *const own_edges = next + pixels;
    const struct motion motion = motions[i];
    int done = 0;
    bool going = true;

    for (int k = lane; k < pixels; k += BLOCK) {
        now[k] = fields[(size_t)i * pixels + k];
        own_edges[k] = edges[(size_t)i * pixels + k];
    }
    __syncthreads();
    for (; done < most && going; done++) {
        int change = 0;
        for (int k = lane; k < pixels; k += BLOCK) {
            const int row = k / columns, column = k % columns;
            const float own = now[k];
            float sum = 0.0f;
            for (int down = -1; down <= 1; down++)
                for (int right = -1; right <= 1; right++) {
                    const int y = clamped(row + down, rows), x = clamped(column + right, columns);
                    sum += taken(motion, down, right, now[y * columns + x] - own);
                }
            next[k] = advanced(own, sum, own_edges[k]);
            change += change_of(own, next[k]);
        }
        changes[lane] = change;
        __syncthreads();
        for (int k = lane; k < pixels; k += BLOCK)
            now[k] = next[k];
        for (int width = BLOCK; width > 1; width = (width + 1) / 2) {
            const int half = (width + 1) / 2; /* the middle one of an odd number waits */
            if (lane + half < width)
                changes[lane] += changes[lane + half];
            __syncthreads();
        }
        going = changes[0] > CUTOFF * pixels;
        __syncthreads();
    }
    for (int k = lane; k < pixels; k += BLOCK)
        fields[(size_t)i * pixels + k] = now[k];
    if (lane == 0)
        iterations[i] = done;
}

/* All windows on the device. */
static void flow_all(const struct run *run)
{
    const size_t cells = (size_t)run->cells, pixels = run_pixels(run);
    const size_t shared = (size_t)(3 * run->rows * run->columns) * sizeof(float);
    const device_array<struct motion> motions(run->motions, cells);
    const device_array<float> edges(run->edges, pixels), fields(run->fields, pixels);
    const device_array<int> iterations(cells);

    device_launch("flow", [&] {
        flow<<<run->cells, BLOCK, shared>>>(run->rows, run->columns, run->most, motions, edges,
                                            fields, iterations);
    });
    fields.download(run->fields);
    iterations.download(run->iterations);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    flow_all(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
