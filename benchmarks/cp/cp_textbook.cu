/*
 * Coulombic potential of charged atoms on a plane. The textbook CUDA form.
 *
 * Atoms go through constant memory, BATCH at a time, a launch each; a thread has POINTS points of a
 * row, which are a block's width apart, so that what they share of a distance is computed once.
 *
 * usage: cp_textbook ROWS COLUMNS ATOMS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "atoms.h"

#ifndef BATCH
#define BATCH 4000 /* atoms in constant memory */
#endif
#ifndef POINTS
#define POINTS 4 /* of a thread */
#endif
#define BLOCK_X 16
#define BLOCK_Y 8
#if BATCH < 1 || BATCH > 4096 || POINTS < 1
#error "a batch has 1 to 4096 atoms, and a thread some points"
#endif

__constant__ struct atom batch[BATCH];

/* Adds what the `count` atoms of the batch cause at each point. */
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    add_batch(int rows, int columns, int count, float *__restrict__ potential)
{
    const int i = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int first = blockIdx.x * BLOCK_X * POINTS + threadIdx.x;
    float sum[POINTS];

    if (i >= rows)
        return;
    float *const row = potential + (size_t)i * columns;
#pragma unroll
    for (int p = 0; p < POINTS; p++)
        sum[p] = first + p * BLOCK_X < columns ? row[first + p * BLOCK_X] : 0.0f;
    for (int n = 0; n < count; n++) {
        const struct atom atom = batch[n];
        const float dy = SPACING * (float)i - atom.y;
#pragma unroll
        for (int p = 0; p < POINTS; p++) {
            const float dx = SPACING * (float)(first + p * BLOCK_X) - atom.x;
            sum[p] += atom.charge / sqrtf(dx * dx + dy * dy + atom.height);
        }
    }
#pragma unroll
    for (int p = 0; p < POINTS; p++)
        if (first + p * BLOCK_X < columns)
            row[first + p * BLOCK_X] = sum[p];
}

static void sum_potential(const struct run *run)
{
    const size_t points = (size_t)run->rows * run->columns;
    device_array<float> potential(points);
    const dim3 block(BLOCK_X, BLOCK_Y);
    const dim3 grid(blocks_for(run->columns, BLOCK_X * POINTS), blocks_for(run->rows, BLOCK_Y));

    potential.clear();
    for (int first = 0; first < run->count; first += BATCH) {
        const int count = min(BATCH, run->count - first);
        device_constant(batch, run->atoms + first, count * sizeof *run->atoms);
        device_launch("add_batch", [&] {
            add_batch<<<grid, block>>>(run->rows, run->columns, count, potential);
        });
    }
    potential.download(run->potential);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    sum_potential(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
