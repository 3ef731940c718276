/*
 * Hybrid sort: sorts a list of floats. The textbook CUDA form.
 *
 * As the fcw form: a block counts its values in its own memory, for the histogram, and to ask for slots
 * of a bucket for all of them at once. Then it sorts a tile there, by merging; longer runs are merged
 * in the memory of all.
 *
 * usage: hybridsort_textbook (--values FILE | --generate COUNT SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "list.h"

#ifndef TILE
#define TILE 256 /* slots that a block sorts, and its threads; buckets begin at multiples of it */
#endif
#define SPAN 16 /* values that a thread counts */
#if TILE < 2 || TILE > 1024
#error "a block has one thread a slot, 1024 at most"
#endif

/* The least and the most of each tile, of values or of what tiles of values have. */
__global__ void __launch_bounds__(TILE)
    find_range(int count, const float *__restrict__ lows, const float *__restrict__ highs,
               float *__restrict__ least, float *__restrict__ most)
{
    __shared__ float low[TILE], high[TILE];
    const int lane = threadIdx.x, i = blockIdx.x * TILE + lane;

    low[lane] = i < count ? lows[i] : INFINITY;
    high[lane] = i < count ? highs[i] : -INFINITY;
    for (int width = TILE; width > 1; width = (width + 1) / 2) {
        const int half = (width + 1) / 2; /* the middle one of an odd number waits */
        __syncthreads();
        if (lane + half < width) {
            low[lane] = fminf(low[lane], low[lane + half]);
            high[lane] = fmaxf(high[lane], high[lane + half]);
        }
    }
    if (lane == 0) {
        least[blockIdx.x] = low[0];
        most[blockIdx.x] = high[0];
    }
}

/* How many values each bin has. */
__global__ void __launch_bounds__(TILE)
    count_bins(int count, float least, float scale, const float *__restrict__ values,
               int *__restrict__ counts)
{
    __shared__ int tile_counts[BINS];
    const int thread = threadIdx.x, first = blockIdx.x * TILE * SPAN;
    const int end = min(first + TILE * SPAN, count);

    for (int bin = thread; bin < BINS; bin += TILE)
        tile_counts[bin] = 0;
    __syncthreads();
    for (int i = first + thread; i < end; i += TILE)
        atomicAdd(&tile_counts[bin_of(values[i], least, scale)], 1);
    __syncthreads();
    for (int bin = thread; bin < BINS; bin += TILE)
        atomicAdd(&counts[bin], tile_counts[bin]);
}

/* Slots without a value come last of all. */
__global__ void __launch_bounds__(TILE) clear(int count, float *__restrict__ slots)
{
    const int i = blockIdx.x * TILE + threadIdx.x;
    if (i < count)
        slots[i] = INFINITY;
}

/* Each value goes to a slot of its bucket; a block asks for the slots of all its values at once. */
__global__ void __launch_bounds__(TILE)
    scatter(int count, int buckets, float least, float scale, const float *__restrict__ values,
            const int *__restrict__ of_bins, int *__restrict__ next, float *__restrict__ slots)
{
    __shared__ int tile_counts[MOST_BUCKETS];
    const int thread = threadIdx.x, i = blockIdx.x * TILE + thread;
    int bucket = 0, slot = 0;

    for (int b = thread; b < buckets; b += TILE)
        tile_counts[b] = 0;
    __syncthreads();
    if (i < count) {
        bucket = of_bins[bin_of(values[i], least, scale)];
        slot = atomicAdd(&tile_counts[bucket], 1);
    }
    __syncthreads();
    for (int b = thread; b < buckets; b += TILE)
        tile_counts[b] = atomicAdd(&next[b], tile_counts[b]);
    __syncthreads();
    if (i < count)
        slots[tile_counts[bucket] + slot] = values[i];
}

/* Where the value at `i` goes as runs of `width` are merged by twos, from `first` up to `end`. */
__device__ static int place_of(const float *values, int i, int first, int end, int width)
{
    const int run = (i - first) / width, other = first + (run ^ 1) * width;
    const int before =
        values_before(values, min(other, end), min(other + width, end), values[i], run % 2);
    return i - run % 2 * width + before;
}

/* Sorts each tile of slots; all of one belong to one bucket. */
__global__ void __launch_bounds__(TILE) sort_tiles(float *__restrict__ slots)
{
    __shared__ float tile[TILE];
    const int lane = threadIdx.x, i = blockIdx.x * TILE + lane;

    tile[lane] = slots[i];
    __syncthreads();
    for (int width = 1; width < TILE; width *= 2) {
        const float value = tile[lane];
        const int place = place_of(tile, lane, 0, TILE, width);
        __syncthreads();
        tile[place] = value;
        __syncthreads();
    }
    slots[i] = tile[lane];
}

/* Merges sorted runs of `width` slots by twos, in each bucket. */
__global__ void __launch_bounds__(TILE)
    merge(int width, const int *__restrict__ of_tiles, const int *__restrict__ starts,
          const float *__restrict__ from, float *__restrict__ to)
{
    const int i = blockIdx.x * TILE + threadIdx.x, bucket = of_tiles[blockIdx.x];
    to[place_of(from, i, starts[bucket], starts[bucket + 1], width)] = from[i];
}

/* The values of all buckets, without the slots behind them. */
__global__ void __launch_bounds__(TILE)
    gather(const int *__restrict__ of_tiles, const int *__restrict__ starts,
           const int *__restrict__ firsts, const float *__restrict__ slots,
           float *__restrict__ values)
{
    const int i = blockIdx.x * TILE + threadIdx.x, bucket = of_tiles[blockIdx.x];
    const int place = firsts[bucket] + i - starts[bucket];
    if (place < firsts[bucket + 1])
        values[place] = slots[i];
}

/* The least and the most of the values. */
static void range_of(int count, const float *values, float *least, float *most)
{
    const size_t tiles = (size_t)blocks_for(count, TILE);
    device_array<float> low(tiles), high(tiles), next_low(tiles), next_high(tiles);

    device_launch("find_range", [&] {
        find_range<<<blocks_for(count, TILE), TILE>>>(count, values, values, low, high);
    });
    for (int left = blocks_for(count, TILE); left > 1; left = blocks_for(left, TILE)) {
        device_launch("find_range", [&] {
            find_range<<<blocks_for(left, TILE), TILE>>>(left, low, high, next_low, next_high);
        });
        low.swap(next_low);
        high.swap(next_high);
    }
    low.download(least, 1);
    high.download(most, 1);
}

/* All on the device but the cut. */
static void sort(int count, float *values, int *of_tiles)
{
    const size_t room = slots_for(count, TILE);
    const device_array<float> list(values, (size_t)count);
    device_array<float> now(room), then(room);
    device_array<int> device_counts(BINS);
    int counts[BINS];
    float least, most;

    range_of(count, list, &least, &most);
    const float scale = scale_for(least, most);
    device_counts.clear();
    device_launch("count_bins", [&] {
        count_bins<<<blocks_for(count, TILE * SPAN), TILE>>>(count, least, scale, list,
                                                             device_counts);
    });
    device_counts.download(counts);

    const struct buckets buckets = buckets_of(count, counts, TILE);
    const int slots = buckets.starts[buckets.count], tiles = slots / TILE;
    buckets_of_tiles(&buckets, TILE, of_tiles);
    const device_array<int> of_bins(buckets.of_bins, BINS), places(of_tiles, (size_t)tiles);
    const device_array<int> starts(buckets.starts, (size_t)buckets.count + 1);
    const device_array<int> firsts(buckets.firsts, (size_t)buckets.count + 1);
    const device_array<int> next(buckets.starts, (size_t)buckets.count);
    device_launch("clear", [&] { clear<<<tiles, TILE>>>(slots, now); });
    device_launch("scatter", [&] {
        scatter<<<blocks_for(count, TILE), TILE>>>(count, buckets.count, least, scale, list,
                                                   of_bins, next, now);
    });
    device_launch("sort_tiles", [&] { sort_tiles<<<tiles, TILE>>>(now); });
    for (int width = TILE; width < buckets.longest; width *= 2) {
        device_launch("merge",
                      [&] { merge<<<tiles, TILE>>>(width, places, starts, now, then); });
        now.swap(then);
    }
    device_launch("gather",
                  [&] { gather<<<tiles, TILE>>>(places, starts, firsts, now, list); });
    list.download(values);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    int *of_tiles = (int *)allocate(slots_for(run.count, TILE) / TILE + 1, sizeof *of_tiles);
    const double start = clock_seconds();
    sort(run.count, run.values, of_tiles);
    run_finish(&run, clock_seconds() - start);
    free(of_tiles);
    return 0;
}
