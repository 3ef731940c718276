/*
 * Two-point angular correlation function. The textbook CUDA form.
 *
 * A thread has a point; a block goes through the other set in tiles in shared memory. Each warp has a
 * histogram of its own there, which atomic additions bring together at the end.
 *
 * usage: tpacf_textbook POINTS SETS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "sky.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block, and points of a tile */
#endif
#if BLOCK < 32 || BLOCK > 1024 || BLOCK % 32 != 0
#error "a block has 1 to 32 whole warps"
#endif
#define WARPS (BLOCK / 32)

__constant__ float bin_cosines[BINS + 1];

/*
 * Counts pairs of points `a` and `b`, or within `a`, if they are the same, each once. There are
 * gridDim.y sets of either, `a_stride` and `b_stride` points apart.
 */
__global__ void __launch_bounds__(BLOCK)
    count_pairs(int count, const struct point *__restrict__ a, size_t a_stride,
                const struct point *__restrict__ b, size_t b_stride, bool is_same,
                unsigned long long *__restrict__ counts)
{
    __shared__ unsigned histograms[WARPS][COUNTERS];
    __shared__ struct point tile[BLOCK];
    const int begin = blockIdx.x * BLOCK, i = begin + threadIdx.x;
    unsigned *const own = histograms[threadIdx.x / 32];
    struct point here = {0.0f, 0.0f, 0.0f};

    a += blockIdx.y * a_stride;
    b += blockIdx.y * b_stride;
    for (int k = threadIdx.x; k < WARPS * COUNTERS; k += BLOCK)
        histograms[k / COUNTERS][k % COUNTERS] = 0;
    if (i < count)
        here = a[i];
    for (int first = is_same ? begin : 0; first < count; first += BLOCK) {
        __syncthreads();
        if (first + (int)threadIdx.x < count)
            tile[threadIdx.x] = b[first + threadIdx.x];
        __syncthreads();
        const int end = i < count ? min(BLOCK, count - first) : 0; /* the last is partial */
        for (int j = is_same ? max(i + 1 - first, 0) : 0; j < end; j++)
            atomicAdd(&own[bin_of(dot(here, tile[j]), bin_cosines)], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < COUNTERS; k += BLOCK) {
        unsigned long long sum = 0;
        for (int warp = 0; warp < WARPS; warp++)
            sum += histograms[warp][k];
        atomicAdd(&counts[k], sum);
    }
}

static void correlate(struct run *run)
{
    const size_t count = (size_t)run->count;
    const int blocks = blocks_for(run->count, BLOCK);
    const device_array<struct point> points(run->points, count * (run->sets + 1));
    const device_array<struct counts> counts(&run->counts, 1);
    struct counts *const on_device = counts;

    device_constant(bin_cosines, run->cosines, sizeof run->cosines);
    device_launch("observed", [&] {
        count_pairs<<<blocks, BLOCK>>>(run->count, points, 0, points, 0, true,
                                       on_device->observed);
    });
    if (run->sets > 0) {
        const dim3 grid(blocks, run->sets);
        device_launch("between", [&] {
            count_pairs<<<grid, BLOCK>>>(run->count, points, 0, points + count, count, false,
                                         on_device->between);
        });
        device_launch("random", [&] {
            count_pairs<<<grid, BLOCK>>>(run->count, points + count, count, points + count, count,
                                         true, on_device->random);
        });
    }
    counts.download(&run->counts);
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    correlate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
