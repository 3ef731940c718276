/*
 * N-body: bodies attract each other, all pairs, by leapfrog steps. The textbook CUDA form.
 *
 * As the fcw form: a block fetches TILE bodies at a time, one a thread, and all its threads, each
 * with a body of its own, use them.
 *
 * usage: nbody_textbook BODIES STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "bodies.h"

#ifndef TILE
#define TILE 256 /* bodies that a block fetches at a time, and its threads */
#endif
#if TILE < 1 || TILE > 1024
#error "a block has 1 to 1024 threads"
#endif

/* What each body feels from all of them, in their order. */
__global__ void __launch_bounds__(TILE)
    attract(int count, const struct body *__restrict__ bodies,
            struct vector *__restrict__ accelerations)
{
    __shared__ struct body tile[TILE];
    const int i = blockIdx.x * TILE + threadIdx.x;
    struct body here = {0.0f, 0.0f, 0.0f, 0.0f};
    struct vector sum = {0.0f, 0.0f, 0.0f};

    if (i < count)
        here = bodies[i];
    for (int first = 0; first < count; first += TILE) {
        if (first + (int)threadIdx.x < count)
            tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        const int end = min(TILE, count - first); /* the last is partial */
        for (int j = 0; j < end; j++)
            sum = attracted(sum, here, tile[j]);
        __syncthreads();
    }
    if (i < count)
        accelerations[i] = sum;
}

/* One step in time: the velocities first, then the places with them. */
__global__ void __launch_bounds__(TILE)
    move(int count, const struct vector *__restrict__ accelerations,
         struct vector *__restrict__ velocities, struct body *__restrict__ bodies)
{
    const int i = blockIdx.x * TILE + threadIdx.x;
    if (i >= count)
        return;
    struct vector velocity = velocities[i];
    velocity.x += TIME_STEP * accelerations[i].x;
    velocity.y += TIME_STEP * accelerations[i].y;
    velocity.z += TIME_STEP * accelerations[i].z;
    bodies[i].x += TIME_STEP * velocity.x;
    bodies[i].y += TIME_STEP * velocity.y;
    bodies[i].z += TIME_STEP * velocity.z;
    velocities[i] = velocity;
}

/* All steps on the device. */
static void simulate(const struct run *run)
{
    const size_t count = (size_t)run->count;
    const int blocks = blocks_for(run->count, TILE);
    const device_array<struct body> bodies(run->bodies, count);
    const device_array<struct vector> velocities(run->velocities, count);
    const device_array<struct vector> accelerations(count);

    for (int step = 0; step < run->steps; step++) {
        device_launch("attract",
                      [&] { attract<<<blocks, TILE>>>(run->count, bodies, accelerations); });
        device_launch("move", [&] {
            move<<<blocks, TILE>>>(run->count, accelerations, velocities, bodies);
        });
    }
    bodies.download(run->bodies);
    velocities.download(run->velocities);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
