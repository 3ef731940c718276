/*
 * Hybrid sort: sorts a list of floats. The fcw form.
 *
 * A block counts its values in its own memory: for the histogram, and to ask for slots of a bucket for
 * all of them at once. Then it sorts a tile there, by merging; longer runs are merged in the memory of
 * all.
 *
 * usage: hybridsort_fcw (--values FILE | --generate COUNT SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "list.h"

#ifndef TILE
#define TILE 256 /* slots that a block sorts, and its threads; buckets begin at multiples of it */
#endif
#define SPAN 16 /* values that a thread counts */
#if TILE < 1 || TILE > 1024
#error "a block has one thread a slot, 1024 at most"
#endif

/* The least and the most of the values. */
static void find_range(int count, const float *restrict values, float *least, float *most)
{
    float low = INFINITY, high = -INFINITY;

    #pragma acc parallel loop present(values) reduction(min : low) reduction(max : high)
    for (int i = 0; i < count; i++) {
        low = fminf(low, values[i]);
        high = fmaxf(high, values[i]);
    }
    *least = low;
    *most = high;
}

/* How many values each bin has. */
static void count_bins(int count, float least, float scale, const float *restrict values,
                       int *restrict counts)
{
    const int tiles = (count + TILE * SPAN - 1) / (TILE * SPAN);
    int *restrict tile_counts = NULL; /* only a window of it exists */

    #pragma acc kernels present(values, counts)
    #pragma acc loop independent vector(TILE)
    for (int thread = 0; thread < tiles * TILE; thread++) {
        const int lane = thread % TILE, first = thread / TILE * TILE * SPAN;

        #pragma acc fcw CHANNEL_ONLY(tile_counts[0:0:BINS - 1]) explicit
        {
            for (int bin = lane; bin < BINS; bin += TILE)
                tile_counts[bin] = 0;
            #pragma acc fcw_barrier
            for (int i = first + lane; i < first + TILE * SPAN && i < count; i += TILE) {
                #pragma acc atomic update
                tile_counts[bin_of(values[i], least, scale)]++;
            }
            #pragma acc fcw_barrier
            for (int bin = lane; bin < BINS; bin += TILE) {
                #pragma acc atomic update
                counts[bin] += tile_counts[bin];
            }
        }
    }
}

/* Slots without a value come last of all. */
static void clear(int count, float *restrict slots)
{
    #pragma acc parallel loop present(slots)
    for (int i = 0; i < count; i++)
        slots[i] = INFINITY;
}

/* Each value goes to a slot of its bucket; a block asks for the slots of all its values at once. */
static void scatter(int count, int buckets, float least, float scale,
                    const float *restrict values, const int *restrict of_bins,
                    int *restrict next, float *restrict slots)
{
    const int tiles = (count + TILE - 1) / TILE;
    int *restrict tile_counts = NULL; /* only a window of it exists */

    #pragma acc kernels present(values, of_bins, next, slots)
    #pragma acc loop independent vector(TILE)
    for (int i = 0; i < tiles * TILE; i++) {
        const int lane = i % TILE;

        #pragma acc fcw CHANNEL_ONLY(tile_counts[0:0:buckets - 1]) explicit
        {
            int bucket = 0, slot = 0;
            for (int b = lane; b < buckets; b += TILE)
                tile_counts[b] = 0;
            #pragma acc fcw_barrier
            if (i < count) {
                bucket = of_bins[bin_of(values[i], least, scale)];
                #pragma acc atomic capture
                slot = tile_counts[bucket]++;
            }
            #pragma acc fcw_barrier
            for (int b = lane; b < buckets; b += TILE) {
                const int own = tile_counts[b];
                int first;
                #pragma acc atomic capture
                { first = next[b]; next[b] += own; }
                tile_counts[b] = first;
            }
            #pragma acc fcw_barrier
            if (i < count)
                slots[tile_counts[bucket] + slot] = values[i];
        }
    }
}

/* Sorts each tile of slots; all of one belong to one bucket. What is written to `from` stays there. */
static void sort_tiles(int count, float *restrict from, float *restrict to)
{
    #pragma acc kernels present(from, to)
    #pragma acc loop independent vector(TILE)
    for (int i = 0; i < count; i++) {
        const int first = i / TILE * TILE, end = first + TILE;

        #pragma acc fcw FETCH_CHANNEL(from[i:0:0]) explicit
        {
            for (int width = 1; width < TILE; width *= 2) {
                const int run = (i - first) / width;
                const int other = first + (run ^ 1) * width;
                const int low = other < end ? other : end;
                const int high = other + width < end ? other + width : end;
                const float value = from[i];
                const int before = values_before(from, low, high, value, run % 2);
                #pragma acc fcw_barrier
                from[i - run % 2 * width + before] = value;
                #pragma acc fcw_barrier
            }
            to[i] = from[i];
        }
    }
}

/* Merges sorted runs of `width` slots by twos, in each bucket. */
static void merge(int count, int width, const int *restrict of_tiles, const int *restrict starts,
                  const float *restrict from, float *restrict to)
{
    #pragma acc parallel loop present(of_tiles, starts, from, to)
    for (int i = 0; i < count; i++) {
        const int bucket = of_tiles[i / TILE], start = starts[bucket], end = starts[bucket + 1];
        const int run = (i - start) / width;
        const int other = start + (run ^ 1) * width;
        const int low = other < end ? other : end;
        const int high = other + width < end ? other + width : end;
        const int before = values_before(from, low, high, from[i], run % 2);
        to[i - run % 2 * width + before] = from[i];
    }
}

/* The values of all buckets, without the slots behind them. */
static void gather(int count, const int *restrict of_tiles, const int *restrict starts,
                   const int *restrict firsts, const float *restrict slots,
                   float *restrict values)
{
    #pragma acc parallel loop present(of_tiles, starts, firsts, slots, values)
    for (int i = 0; i < count; i++) {
        const int bucket = of_tiles[i / TILE];
        const int place = firsts[bucket] + i - starts[bucket];
        if (place < firsts[bucket + 1])
            values[place] = slots[i];
    }
}

/* All on the device but the cut. `front`, `back` and `of_tiles` have room for all slots. */
static void sort(int count, float *values, float *front, float *back, int *of_tiles)
{
    const int room = (int)slots_for(count, TILE);
    int counts[BINS] = {0};
    float least, most;

    #pragma acc data copy(values[0:count]) create(front[0:room], back[0:room])
    {
        find_range(count, values, &least, &most);
        const float scale = scale_for(least, most);
        #pragma acc data copy(counts)
        count_bins(count, least, scale, values, counts);

        const struct buckets buckets = buckets_of(count, counts, TILE);
        const int cut = buckets.count, slots = buckets.starts[cut];
        const int *of_bins = buckets.of_bins, *starts = buckets.starts, *firsts = buckets.firsts;
        int next[MOST_BUCKETS];
        memcpy(next, buckets.starts, sizeof next);
        buckets_of_tiles(&buckets, TILE, of_tiles);
        #pragma acc data copyin(of_bins[0:BINS], starts[0:cut + 1], firsts[0:cut + 1]) \
                         copyin(next[0:cut], of_tiles[0:slots / TILE])
        {
            float *now = back, *then = front;
            clear(slots, front);
            scatter(count, cut, least, scale, values, of_bins, next, front);
            sort_tiles(slots, front, back);
            for (int width = TILE; width < buckets.longest; width *= 2) {
                merge(slots, width, of_tiles, starts, now, then);
                float *swap = now;
                now = then;
                then = swap;
            }
            gather(slots, of_tiles, starts, firsts, now, values);
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const size_t slots = slots_for(run.count, TILE);
    float *front = grid_allocate(slots), *back = grid_allocate(slots);
    int *of_tiles = (int *)allocate(slots / TILE + 1, sizeof *of_tiles);
    const double start = clock_seconds();
    sort(run.count, run.values, front, back, of_tiles);
    run_finish(&run, clock_seconds() - start);
    free(front);
    free(back);
    free(of_tiles);
    return 0;
}
