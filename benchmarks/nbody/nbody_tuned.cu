/*
 * N-body: bodies attract each other, all pairs, by leapfrog steps. The tuned CUDA form.
 *
 * A thread has one, two or four bodies in registers, as many as leave the device busy, and each
 * body that it reads from shared memory attracts all of them. Tiles come by asynchronous copies of
 * whole bodies, the next one while one is used. The step in time is a part of the same kernel: the
 * places go to and fro between two arrays.
 *
 * usage: nbody_tuned BODIES STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include <cuda_pipeline.h>

#include "bodies.h"

#ifndef BLOCK
#define BLOCK 128 /* threads of a block, and bodies that it fetches at a time */
#endif
#ifndef BODIES
#define BODIES 0 /* bodies of a thread: 1, 2 or 4; 0: by the size of the device */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

__device__ static struct body as_body(float4 at)
{
    return {at.x, at.y, at.z, at.w};
}

/* Begins to copy bodies from `first` on, one a thread. */
__device__ static void fetch(float4 *tile, const float4 *bodies, int first, int count)
{
    const int j = first + threadIdx.x;
    if (j < count)
        __pipeline_memcpy_async(&tile[threadIdx.x], &bodies[j], sizeof *tile);
    __pipeline_commit();
}

/* One step in time: all bodies `now` attract those of the thread, which go to `next`. */
template <int bodies_of_thread>
__global__ void __launch_bounds__(BLOCK)
    advance(int count, const float4 *__restrict__ now, float4 *__restrict__ next,
            struct vector *__restrict__ velocities)
{
    __shared__ float4 tiles[2][BLOCK];
    const int own = blockIdx.x * BLOCK * bodies_of_thread + threadIdx.x;
    struct body here[bodies_of_thread];
    struct vector sum[bodies_of_thread];

    fetch(tiles[0], now, 0, count);
#pragma unroll
    for (int b = 0; b < bodies_of_thread; b++) {
        here[b] = as_body(now[min(own + b * BLOCK, count - 1)]);
        sum[b] = {0.0f, 0.0f, 0.0f};
    }
    for (int first = 0; first < count; first += BLOCK) {
        const float4 *tile = tiles[first / BLOCK % 2];
        fetch(tiles[(first / BLOCK + 1) % 2], now, first + BLOCK, count);
        __pipeline_wait_prior(1);
        __syncthreads();
        const int end = min(BLOCK, count - first); /* the last is partial */
#pragma unroll 8
        for (int j = 0; j < end; j++) {
            const struct body other = as_body(tile[j]);
#pragma unroll
            for (int b = 0; b < bodies_of_thread; b++)
                sum[b] = attracted(sum[b], here[b], other);
        }
        __syncthreads();
    }
#pragma unroll
    for (int b = 0; b < bodies_of_thread; b++) {
        const int i = own + b * BLOCK;
        if (i >= count)
            return;
        struct vector velocity = velocities[i];
        velocity.x += TIME_STEP * sum[b].x;
        velocity.y += TIME_STEP * sum[b].y;
        velocity.z += TIME_STEP * sum[b].z;
        velocities[i] = velocity;
        next[i] = make_float4(here[b].x + TIME_STEP * velocity.x, here[b].y + TIME_STEP * velocity.y,
                              here[b].z + TIME_STEP * velocity.z, here[b].mass);
    }
}

template <int bodies_of_thread>
static void launch(int count, const float4 *now, float4 *next, struct vector *velocities)
{
    const int blocks = blocks_for(count, BLOCK * bodies_of_thread);
    device_launch("advance", [&] {
        advance<bodies_of_thread><<<blocks, BLOCK>>>(count, now, next, velocities);
    });
}

/* How many bodies a thread can have so that every multiprocessor still has 16 warps. */
static int bodies_for(int count)
{
    const int wanted = count / (device_multiprocessors() * 16 * 32);
    return wanted >= 4 ? 4 : wanted >= 2 ? 2 : 1;
}

/* All steps on the device. */
static void simulate(const struct run *run)
{
    const size_t count = (size_t)run->count;
    const int bodies_of_thread = BODIES > 0 ? BODIES : bodies_for(run->count);
    device_array<float4> now((const float4 *)run->bodies, count);
    device_array<float4> next(count);
    const device_array<struct vector> velocities(run->velocities, count);

    for (int step = 0; step < run->steps; step++) {
        if (bodies_of_thread == 4)
            launch<4>(run->count, now, next, velocities);
        else if (bodies_of_thread == 2)
            launch<2>(run->count, now, next, velocities);
        else
            launch<1>(run->count, now, next, velocities);
        now.swap(next);
    }
    now.download((float4 *)run->bodies);
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
