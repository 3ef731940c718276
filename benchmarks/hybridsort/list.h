/*
 * The list that hybridsort sorts, how it is cut into buckets, and the input of a run: shared by all
 * forms.
 *
 * The task is that of the Rodinia suite: a list of floats is cut into buckets, so that all values of
 * one are less than those of the next, and about as many in each, by a histogram; then each bucket
 * is sorted by merging. Buckets begin at multiples of a tile; slots behind their values are infinite.
 */
#ifndef BENCHMARKS_HYBRIDSORT_LIST_H
#define BENCHMARKS_HYBRIDSORT_LIST_H

#include <math.h>

#include "../common/grid.h"

#define MOST_VALUES (1 << 26)
#define BINS 1024        /* of the histogram */
#define MOST_BUCKETS 512
#define BUCKET_VALUES 512 /* of a bucket, if there are no more than MOST_BUCKETS */

/* A run as the command line gives it, its input in memory. */
struct run {
    int count;
    float *values;      /* none is -0, so that equal ones cannot be told apart */
    const char *output; /* file for them, sorted; NULL: none is asked for */
};

/* How a list is cut. */
struct buckets {
    int count;
    int of_bins[BINS];           /* of each bin its bucket */
    int starts[MOST_BUCKETS + 1]; /* of each bucket its first slot, and the end of all */
    int firsts[MOST_BUCKETS + 1]; /* of each the place of its first value in the sorted list */
    int longest;                  /* slots of the largest */
};

static inline int buckets_for(int count)
{
    const int wanted = (count + BUCKET_VALUES - 1) / BUCKET_VALUES;
    return wanted < MOST_BUCKETS ? wanted : MOST_BUCKETS;
}

/* The most slots that buckets of a list take. */
static inline size_t slots_for(int count, int tile)
{
    return (size_t)count + (size_t)buckets_for(count) * (size_t)tile;
}

/* The bin of a value, from the least value on; `scale` bins are as wide as 1. */
ON_DEVICE static inline int bin_of(float value, float least, float scale)
{
    const float bin = (value - least) * scale;
    return bin < (float)(BINS - 1) ? (int)bin : BINS - 1;
}

/* Bins as wide as 1, for values between these. */
static inline float scale_for(float least, float most)
{
    return least < most ? (float)BINS / (most - least) : 0.0f;
}

/* Cuts a list whose bins have so many values; all values of a bin go to one bucket. */
static inline struct buckets buckets_of(int count, const int *counts, int tile)
{
    struct buckets buckets;
    const int wanted = buckets_for(count);
    int bin = 0, values = 0, slots = 0;
    buckets.longest = 0;
    for (buckets.count = 0; bin < BINS; buckets.count++) {
        const int end = (int)((long long)count * (buckets.count + 1) / wanted);
        int own = 0;
        buckets.starts[buckets.count] = slots;
        buckets.firsts[buckets.count] = values;
        while (bin < BINS && (own == 0 || values + own < end || buckets.count == wanted - 1)) {
            own += counts[bin];
            buckets.of_bins[bin++] = buckets.count;
        }
        values += own;
        const int length = (own + tile - 1) / tile * tile;
        slots += length;
        buckets.longest = length > buckets.longest ? length : buckets.longest;
    }
    buckets.starts[buckets.count] = slots;
    buckets.firsts[buckets.count] = values;
    return buckets;
}

/* Of each tile of slots its bucket. */
static inline void buckets_of_tiles(const struct buckets *buckets, int tile, int *of_tiles)
{
    for (int bucket = 0; bucket < buckets->count; bucket++) {
        for (int i = buckets->starts[bucket]; i < buckets->starts[bucket + 1]; i += tile)
            of_tiles[i / tile] = bucket;
    }
}

/* How many values from `low` up to `high`, which are sorted, are less; or equal, if that is asked. */
ON_DEVICE static inline int values_before(const float *values, int low, int high, float value,
                                          int or_equal)
{
    const int first = low;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (values[middle] < value || (or_equal && values[middle] == value))
            low = middle + 1;
        else
            high = middle;
    }
    return low - first;
}

/* Reads Rodinia's format: numbers with white space between. */
static inline void values_read(struct run *run, const char *path)
{
    char *text = text_read(path);
    run->count = 0;
    run->values = NULL;
    int room = 0;
    for (char *at = text; at[strspn(at, " \t\r\n")] != '\0'; run->count++) {
        char *end;
        const float value = strtof(at, &end);
        if (end == at || !isfinite(value) || run->count == MOST_VALUES)
            fail("%s: value %d: one of %d numbers expected", path, run->count + 1, MOST_VALUES);
        if (run->count == room) {
            room = room == 0 ? 4096 : 2 * room;
            run->values = (float *)realloc(run->values, (size_t)room * sizeof *run->values);
            if (run->values == NULL)
                fail("%s: no memory for %d values", path, room);
        }
        run->values[run->count] = value == 0.0f ? 0.0f : value;
        at = end;
    }
    if (run->count == 0)
        fail("%s: no values", path);
    free(text);
}

/* (--values FILE | --generate COUNT SEED) [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    const int read = argc > 1 && strcmp(argv[1], "--values") == 0;
    const int generate = argc > 1 && strcmp(argv[1], "--generate") == 0;
    const int given = read ? 3 : 4;
    if ((!read && !generate) || (argc != given && argc != given + 1))
        fail("usage: %s (--values FILE | --generate COUNT SEED) [OUTPUT]", argv[0]);
    struct run run;
    if (read) {
        values_read(&run, argv[2]);
    } else {
        run.count = number_argument(argv[2], 1, MOST_VALUES, "count");
        uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
        run.values = grid_allocate((size_t)run.count);
        for (int i = 0; i < run.count; i++) { /* small ones occur more often, and some twice */
            const float value = random_float(&seed);
            const int again = i > 0 && random_bits(&seed) % 16 == 0;
            run.values[i] = again ? run.values[i / 2] : value * value;
        }
    }
    run.output = argc > given ? argv[given] : NULL;
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the list. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t count = (size_t)run->count;
    printf("hybridsort %d values: checksum %016llx\n", run->count,
           checksum(run->values, count, sizeof *run->values));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        grid_write(run->output, run->values, count);
    free(run->values);
}

#endif
