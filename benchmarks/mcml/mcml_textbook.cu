/*
 * Photons in tissue of several layers, by Monte Carlo. The textbook CUDA form.
 *
 * A thread has a copy of the grid and simulates its photons; the layers stand in constant memory. A
 * second kernel adds up the copies, whose columns it brings to shared memory first.
 *
 * usage: mcml_textbook PHOTONS LAYERS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "photon.h"

#ifndef BLOCK
#define BLOCK 64 /* threads of a block that simulates */
#endif
#define COLUMNS 16 /* rings of a block that adds */
#if BLOCK < 1 || BLOCK > 512
#error "a block has 1 to 512 threads"
#endif

__constant__ struct layer layers[MOST_LAYERS + 2];
__constant__ struct surface surfaces[MOST_LAYERS + 1];

/* Simulates all photons; those of a copy of the grid in their order. */
__global__ void __launch_bounds__(BLOCK)
    simulate(int photons, int seed, int layer_count, absorption_grid *__restrict__ absorbed)
{
    const int copy = blockIdx.x * BLOCK + threadIdx.x;
    if (copy >= COPIES)
        return;
    for (int number = copy; number < photons; number += COPIES)
        photon_simulate(number, seed, layer_count, layers, surfaces, absorbed[copy]);
}

/* Adds up all copies; the sum is in the first. */
__global__ void __launch_bounds__(COLUMNS) add_copies(absorption_grid *__restrict__ absorbed)
{
    __shared__ float tile[COPIES][COLUMNS];
    const int z = blockIdx.y, r = blockIdx.x * COLUMNS + threadIdx.x;
    float sum = 0.0f;

    for (int copy = 0; copy < COPIES; copy++)
        tile[copy][threadIdx.x] = absorbed[copy][z][r];
    for (int copy = 0; copy < COPIES; copy++)
        sum += tile[copy][threadIdx.x];
    absorbed[0][z][r] = sum;
}

static void transport(struct run *run)
{
    device_array<absorption_grid> absorbed(COPIES);
    const dim3 grid(RINGS / COLUMNS, DEPTHS);

    absorbed.clear();
    device_constant(layers, run->layer, sizeof run->layer);
    device_constant(surfaces, run->surface, sizeof run->surface);
    device_launch("simulate", [&] {
        simulate<<<blocks_for(COPIES, BLOCK), BLOCK>>>(run->photons, run->seed, run->layers,
                                                       absorbed);
    });
    device_launch("add_copies", [&] { add_copies<<<grid, COLUMNS>>>(absorbed); });
    absorbed.download(run->absorbed, 1);
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    transport(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
