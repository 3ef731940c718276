/*
 * Reduction: the sum of an array. The fcw form: a tree in each block.
 *
 * A launch makes TILE values one: a block fetches its values and adds the upper half of them to the
 * lower half until one is left. Launches go on, from one array to the other and back, until there
 * is one value in all.
 *
 * usage: reduction_fcw COUNT SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "values.h"

#ifndef TILE
#define TILE 256 /* values that a block sums up, and its threads */
#endif
#if TILE < 2 || TILE > 1024
#error "a block has one thread a value, 1024 at most"
#endif

/* `sums` of each TILE of the `count` values; what the region writes to `values` stays in the block. */
static void reduce(int count, unsigned *restrict values, unsigned *restrict sums)
{
    #pragma acc kernels present(values, sums)
    #pragma acc loop independent vector(TILE)
    for (int i = 0; i < count; i++) {
        const int lane = i % TILE;

        #pragma acc fcw FETCH_CHANNEL(values[i:0:0])
        {
            for (int width = TILE; width > 1; width = (width + 1) / 2) {
                const int half = (width + 1) / 2; /* the middle one of an odd number waits */
                if (lane + half < width && i + half < count)
                    values[i] += values[i + half];
            }
            if (lane == 0)
                sums[i / TILE] = values[i];
        }
    }
}

static unsigned total(int count, unsigned *values, unsigned *sums)
{
    unsigned *from = values, *to = sums;

    #pragma acc data copyin(values[0:count]) create(sums[0:(count + TILE - 1) / TILE])
    {
        for (int left = count; left > 1; left = (left + TILE - 1) / TILE) {
            reduce(left, from, to);
            unsigned *swap = from;
            from = to;
            to = swap;
        }
        #pragma acc update self(from[0:1])
    }
    return from[0];
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const size_t tiles = ((size_t)run.count + TILE - 1) / TILE;
    unsigned *sums = (unsigned *)allocate(tiles, sizeof *sums);
    const double start = clock_seconds();
    const unsigned sum = total(run.count, run.values, sums);
    run_finish(&run, sum, clock_seconds() - start);
    free(sums);
    return 0;
}
