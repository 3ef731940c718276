/*
 * CFD: a gas in three dimensions on an unstructured mesh, by finite volumes. The textbook CUDA
 * form on the host's arrays: AUTO-CTA chooses the blocks, copies the arrays and places those that
 * kernels only read.
 *
 * The loops of the serial form as kernels, a cell a thread: how long a step each cell takes, what
 * flows through its faces, and what it holds then. Arrays hold one variable of all cells after the
 * other, so that a warp reads its own cells together; neighbours are anywhere.
 *
 * usage: cfd_autocta STEPS (--mesh FILE | --generate X Y Z SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "mesh.h"

#ifndef BLOCK
#define BLOCK 192 /* threads of a block where none are chosen, as in Rodinia */
#endif

#define STAGES 3 /* of a step, after Runge and Kutta */

/* What a cell holds. */
__device__ static struct state state_of(int cells, const float *variables, int cell)
{
    const size_t count = (size_t)cells;
    struct state gas;
    gas.density = variables[cell];
    gas.momentum.x = variables[count + cell];
    gas.momentum.y = variables[2 * count + cell];
    gas.momentum.z = variables[3 * count + cell];
    gas.energy = variables[4 * count + cell];
    return gas;
}

/* How long a step each cell takes. */
__global__ void
measure(int cells, const float *volumes, const float *variables,
        float *factors)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells)
        factors[i] = 0.5f / (sqrtf(volumes[i]) * wave_speed(state_of(cells, variables, i)));
}

/* What flows out of each cell. */
__global__ void
exchange(int cells, struct state stream, const int *neighbours,
         const float *normals, const float *variables,
         float *outflow)
{
    const size_t count = (size_t)cells;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    const struct state own = state_of(cells, variables, i);
    struct state sum = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
    for (int face = 0; face < FACES; face++) {
        const int neighbour = neighbours[face * count + i];
        const float *of_face = normals + face * 3 * count;
        const struct vector normal = {of_face[i], of_face[count + i], of_face[2 * count + i]};
        struct state through;
        if (neighbour == WALL)
            through = flow_wall(own, normal);
        else if (neighbour == OUTSIDE)
            through = flow_outside(own, stream, normal);
        else
            through = flow_between(own, state_of(cells, variables, neighbour), normal);
        sum = add(sum, 1.0f, through);
    }
    outflow[i] = sum.density;
    outflow[count + i] = sum.momentum.x;
    outflow[2 * count + i] = sum.momentum.y;
    outflow[3 * count + i] = sum.momentum.z;
    outflow[4 * count + i] = sum.energy;
}

/* What each cell holds after a stage. */
__global__ void
advance(int cells, int stage, const float *factors,
        const float *before, const float *outflow,
        float *variables)
{
    const size_t count = (size_t)cells;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= cells)
        return;
    const float share = factors[i] / (float)(STAGES - stage);
    for (int v = 0; v < VARIABLES; v++)
        variables[v * count + i] = before[v * count + i] - share * outflow[v * count + i];
}

/* What each variable of each cell is before a step. */
__global__ void keep(int count, const float *variables, float *before)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        before[i] = variables[i];
}

/* All steps on the device. */
static void simulate(const struct run *run)
{
    const int cells = run->cells, all = VARIABLES * cells;
    const size_t bytes = (size_t)cells * sizeof(float);
    const struct state stream = free_stream();
    float *volumes = (float *)malloc(bytes), *factors = (float *)malloc(bytes);
    float *normals = (float *)malloc(FACES * 3 * bytes);
    float *variables = (float *)malloc(VARIABLES * bytes);
    float *before = (float *)malloc(VARIABLES * bytes);
    float *outflow = (float *)malloc(VARIABLES * bytes);
    int *neighbours = (int *)malloc(FACES * bytes);
    memcpy(volumes, run->volumes, bytes);
    memcpy(normals, run->normals, FACES * 3 * bytes);
    memcpy(variables, run->variables, VARIABLES * bytes);
    memcpy(neighbours, run->neighbours, FACES * bytes);

    for (int step = 0; step < run->steps; step++) {
#pragma AUTO-CTA all
        keep<<<blocks_for(all, BLOCK), BLOCK>>>(all, variables, before);
#pragma AUTO-CTA cells
        measure<<<blocks_for(cells, BLOCK), BLOCK>>>(cells, volumes, variables, factors);
        for (int stage = 0; stage < STAGES; stage++) {
#pragma AUTO-CTA cells
            exchange<<<blocks_for(cells, BLOCK), BLOCK>>>(cells, stream, neighbours, normals,
                                                          variables, outflow);
#pragma AUTO-CTA cells
            advance<<<blocks_for(cells, BLOCK), BLOCK>>>(cells, stage, factors, before, outflow,
                                                         variables);
        }
        CHECK(cudaGetLastError());
    }
    memcpy(run->variables, variables, VARIABLES * bytes);
    free(volumes);
    free(factors);
    free(normals);
    free(variables);
    free(before);
    free(outflow);
    free(neighbours);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
