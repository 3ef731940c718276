/*
 * Hybrid sort: sorts a list of floats. The OpenACC form: into buckets, by atomic steps; then each value
 * finds its place where the run that it is in and the next one are merged.
 *
 * usage: hybridsort (--values FILE | --generate COUNT SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "list.h"

#define TILE 32 /* buckets begin at multiples of it */

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
    #pragma acc parallel loop present(values, counts)
    for (int i = 0; i < count; i++) {
        #pragma acc atomic update
        counts[bin_of(values[i], least, scale)]++;
    }
}

/* Slots without a value come last of all. */
static void clear(int count, float *restrict slots)
{
    #pragma acc parallel loop present(slots)
    for (int i = 0; i < count; i++)
        slots[i] = INFINITY;
}

/* Each value goes to the next slot of its bucket. */
static void scatter(int count, float least, float scale, const float *restrict values,
                    const int *restrict of_bins, int *restrict next, float *restrict slots)
{
    #pragma acc parallel loop present(values, of_bins, next, slots)
    for (int i = 0; i < count; i++) {
        const int bucket = of_bins[bin_of(values[i], least, scale)];
        int slot;
        #pragma acc atomic capture
        slot = next[bucket]++;
        slots[slot] = values[i];
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
            float *now = front, *then = back;
            clear(slots, now);
            scatter(count, least, scale, values, of_bins, next, now);
            for (int width = 1; width < buckets.longest; width *= 2) {
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
