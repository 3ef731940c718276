/*
 * CFD: a gas in three dimensions on an unstructured mesh, by finite volumes. The tuned CUDA form.
 *
 * Neighbours are anywhere, so that what counts is how many sectors of 32 bytes their data lie in: a
 * cell is one, with its pressure and how fast its waves go beside the five variables, computed once
 * in the place of once a neighbour, and read by two accesses of 16 bytes. What belongs to one cell
 * only, faces and volumes, stays as it is, one array after the other. A stage is one launch from
 * one array of cells to another: flows never go to memory, all neighbours of a cell are under way
 * at once, and nothing is copied before a step.
 *
 * usage: cfd_tuned STEPS (--mesh FILE | --generate X Y Z SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "mesh.h"

#ifndef BLOCK
#define BLOCK 128 /* cells of a block, and its threads */
#endif
#if BLOCK < 1 || BLOCK > 512
#error "a block has one thread a cell, 512 at most"
#endif
#define RESIDENT (768 / BLOCK) /* blocks of a multiprocessor: 80 registers a thread */

#define STAGES 3 /* of a step, after Runge and Kutta */

/* A cell in registers; in memory it is two float4, the last float of which means nothing. */
struct cell {
    struct state gas;
    float pressure, wave_speed;
};

__device__ static struct cell cell_of(struct state gas)
{
    const struct cell cell = {gas, pressure(gas), wave_speed(gas)};
    return cell;
}

__device__ static struct cell fetch(const float4 *cells, int at)
{
    const float4 low = __ldg(&cells[2 * (size_t)at]), high = __ldg(&cells[2 * (size_t)at + 1]);
    const struct cell cell = {{low.x, {low.y, low.z, low.w}, high.x}, high.y, high.z};
    return cell;
}

__device__ static void store(float4 *cells, int at, struct cell cell)
{
    const struct state gas = cell.gas;
    cells[2 * (size_t)at] =
        make_float4(gas.density, gas.momentum.x, gas.momentum.y, gas.momentum.z);
    cells[2 * (size_t)at + 1] = make_float4(gas.energy, cell.pressure, cell.wave_speed, 0.0f);
}

/* `flow`, `flow_between`, `flow_outside` and `flow_wall` of cells, whose pressures are known. */
__device__ static struct state flow_in(struct cell cell, struct vector normal)
{
    const struct state gas = cell.gas;
    const float speed = dot(gas.momentum, normal) / gas.density, push = cell.pressure;
    const struct state through = {gas.density * speed,
                                  {gas.momentum.x * speed + push * normal.x,
                                   gas.momentum.y * speed + push * normal.y,
                                   gas.momentum.z * speed + push * normal.z},
                                  (gas.energy + push) * speed};
    return through;
}

__device__ static struct state flow_out(struct cell own, struct cell other, struct vector normal,
                                        int neighbour, struct state stream)
{
    const struct state none = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
    if (neighbour == WALL) {
        const float push = own.pressure;
        const struct state through = {0.0f, {push * normal.x, push * normal.y, push * normal.z},
                                      0.0f};
        return through;
    }
    struct state through = add(none, 0.5f, flow_in(own, normal));
    if (neighbour == OUTSIDE)
        return add(through, 0.5f, flow(stream, normal));
    const float viscosity = 0.5f * SMOOTHING * sqrtf(dot(normal, normal)) *
                            (own.wave_speed + other.wave_speed);
    through = add(through, 0.5f, flow_in(other, normal));
    through = add(through, viscosity, own.gas);
    return add(through, -viscosity, other.gas);
}

/* The cells of the host's variables. */
__global__ void __launch_bounds__(BLOCK)
    pack(int cells, const float *__restrict__ variables, float4 *__restrict__ packed)
{
    const size_t count = (size_t)cells;
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= cells)
        return;
    const struct state gas = {
        variables[i],
        {variables[count + i], variables[2 * count + i], variables[3 * count + i]},
        variables[4 * count + i]};
    store(packed, i, cell_of(gas));
}

/* And back. */
__global__ void __launch_bounds__(BLOCK)
    unpack(int cells, const float4 *__restrict__ packed, float *__restrict__ variables)
{
    const size_t count = (size_t)cells;
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= cells)
        return;
    const struct state gas = fetch(packed, i).gas;
    variables[i] = gas.density;
    variables[count + i] = gas.momentum.x;
    variables[2 * count + i] = gas.momentum.y;
    variables[3 * count + i] = gas.momentum.z;
    variables[4 * count + i] = gas.energy;
}

/* A stage: the cells `next` from those `now` and those `before` the step. */
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    advance(int cells, int stage, struct state stream, const float *__restrict__ volumes,
            const int *__restrict__ neighbours, const float *__restrict__ normals,
            const float4 *__restrict__ before, const float4 *__restrict__ now,
            float4 *__restrict__ next)
{
    const size_t count = (size_t)cells;
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    int neighbour[FACES];
    struct vector normal[FACES];
    struct cell other[FACES];

    if (i >= cells)
        return;
#pragma unroll
    for (int face = 0; face < FACES; face++)
        neighbour[face] = neighbours[face * count + i];
#pragma unroll
    for (int face = 0; face < FACES; face++) { /* the cell itself where there is none */
        const float *of_face = normals + face * 3 * count;
        normal[face] = {of_face[i], of_face[count + i], of_face[2 * count + i]};
        other[face] = fetch(now, neighbour[face] >= 0 ? neighbour[face] : i);
    }
    const struct cell own = fetch(now, i), first = fetch(before, i);
    struct state sum = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
#pragma unroll
    for (int face = 0; face < FACES; face++)
        sum = add(sum, 1.0f, flow_out(own, other[face], normal[face], neighbour[face], stream));
    const float factor = 0.5f / (sqrtf(volumes[i]) * first.wave_speed);
    store(next, i, cell_of(add(first.gas, -(factor / (float)(STAGES - stage)), sum)));
}

/* All steps on the device. */
static void simulate(const struct run *run)
{
    const int cells = run->cells, blocks = blocks_for(cells, BLOCK);
    const size_t count = (size_t)cells;
    const struct state stream = free_stream();
    const device_array<float> volumes(run->volumes, count);
    const device_array<int> neighbours(run->neighbours, FACES * count);
    const device_array<float> normals(run->normals, FACES * 3 * count);
    const device_array<float> variables(run->variables, VARIABLES * count);
    device_array<float4> before(2 * count), now(2 * count), next(2 * count);

    device_launch("pack", [&] { pack<<<blocks, BLOCK>>>(cells, variables, before); });
    for (int step = 0; step < run->steps; step++) {
        for (int stage = 0; stage < STAGES; stage++) {
            const float4 *from = stage == 0 ? before : now;
            device_launch("advance", [&] {
                advance<<<blocks, BLOCK>>>(cells, stage, stream, volumes, neighbours, normals,
                                           before, from, next);
            });
            now.swap(next);
        }
        before.swap(now);
    }
    device_launch("unpack", [&] { unpack<<<blocks, BLOCK>>>(cells, before, variables); });
    variables.download(run->variables);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
