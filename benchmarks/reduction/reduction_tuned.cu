/*
 * Reduction: the sum of an array. The tuned CUDA form: one launch.
 *
 * As many blocks as fill the device go through the array, four values an access and several of
 * them under way at a time; warps add up by shuffles, and each block adds to the sum once.
 *
 * usage: reduction_tuned COUNT SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "values.h"

#ifndef THREADS
#define THREADS 256 /* threads of a block */
#endif
#ifndef BLOCKS
#define BLOCKS 8 /* blocks of a multiprocessor */
#endif
#if THREADS < 32 || THREADS > 1024 || THREADS % 32 != 0
#error "a block has whole warps, 32 at most"
#endif
#define UNDER_WAY 4 /* accesses of a thread */

/* Adds the sum of all values of the block's threads to `sum`. */
__device__ static void add(unsigned value, unsigned *sum)
{
    __shared__ unsigned of_warps[THREADS / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(WHOLE_WARP, value, distance);
    if (lane == 0)
        of_warps[warp] = value;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (int other = 1; other < THREADS / 32; other++)
        value += of_warps[other];
    atomicAdd(sum, value);
}

__device__ static unsigned sum_of(uint4 four)
{
    return four.x + four.y + four.z + four.w;
}

/* Adds all values to `sum`. */
__global__ void __launch_bounds__(THREADS)
    reduce(int count, const unsigned *__restrict__ values, unsigned *__restrict__ sum)
{
    const uint4 *fours = (const uint4 *)values;
    const int four_count = count / 4, stride = gridDim.x * THREADS;
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    unsigned own = thread < count % 4 ? values[4 * four_count + thread] : 0;
    int i = thread;

    for (; i + (UNDER_WAY - 1) * stride < four_count; i += UNDER_WAY * stride) {
        uint4 read[UNDER_WAY];
#pragma unroll
        for (int k = 0; k < UNDER_WAY; k++)
            read[k] = fours[i + k * stride];
#pragma unroll
        for (int k = 0; k < UNDER_WAY; k++)
            own += sum_of(read[k]);
    }
    for (; i < four_count; i += stride)
        own += sum_of(fours[i]);
    add(own, sum);
}

static unsigned total(const struct run *run)
{
    const device_array<unsigned> values(run->values, (size_t)run->count);
    device_array<unsigned> device_sum(1);
    unsigned sum;
    const int blocks = min(blocks_for(run->count, THREADS), device_multiprocessors() * BLOCKS);

    device_sum.clear();
    device_launch("reduce",
                  [&] { reduce<<<blocks, THREADS>>>(run->count, values, device_sum); });
    device_sum.download(&sum);
    return sum;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    const unsigned sum = total(&run);
    run_finish(&run, sum, clock_seconds() - start);
    return 0;
}
