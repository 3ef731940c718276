/*
 * Reduction: the sum of an array. The textbook CUDA form: a tree in each block.
 *
 * As the fcw form: a launch makes TILE values one, and launches go on until there is one in all.
 *
 * usage: reduction_textbook COUNT SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "values.h"

#ifndef TILE
#define TILE 256 /* values that a block sums up, and its threads */
#endif
#if TILE < 2 || TILE > 1024
#error "a block has one thread a value, 1024 at most"
#endif

/* `sums` of each TILE of the `count` values. */
__global__ void __launch_bounds__(TILE)
    reduce(int count, const unsigned *__restrict__ values, unsigned *__restrict__ sums)
{
    __shared__ unsigned tile[TILE];
    const int lane = threadIdx.x, i = blockIdx.x * TILE + lane;

    tile[lane] = i < count ? values[i] : 0;
    for (int width = TILE; width > 1; width = (width + 1) / 2) {
        const int half = (width + 1) / 2; /* the middle one of an odd number waits */
        __syncthreads();
        if (lane + half < width)
            tile[lane] += tile[lane + half];
    }
    if (lane == 0)
        sums[blockIdx.x] = tile[0];
}

static unsigned total(const struct run *run)
{
    device_array<unsigned> from(run->values, (size_t)run->count);
    device_array<unsigned> to((size_t)blocks_for(run->count, TILE));
    unsigned sum;

    for (int left = run->count; left > 1; left = blocks_for(left, TILE)) {
        device_launch("reduce",
                      [&] { reduce<<<blocks_for(left, TILE), TILE>>>(left, from, to); });
        from.swap(to);
    }
    from.download(&sum, 1);
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
