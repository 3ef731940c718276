/*
 * Points of the sky, the bins for the angles between them, and the input of a run: shared by all
 * forms of tpacf.
 *
 * The two-point angular correlation function follows from how many pairs of points are how far apart:
 * among those observed, between these and points thrown at random, and among the random ones. An
 * angle is put into its bin by its cosine, so that all there is to compare are floats.
 */
#ifndef BENCHMARKS_TPACF_SKY_H
#define BENCHMARKS_TPACF_SKY_H

#include <math.h>

#include "../common/program.h"

#define PER_DECADE 5        /* bins, of angles that grow tenfold */
#define BINS 20             /* from a minute of arc up to 10000 */
#define COUNTERS (BINS + 2) /* with one below and one above */

struct point {
    float x, y, z; /* on the unit sphere */
};

/* How many pairs are in each bin. */
struct counts {
    unsigned long long observed[COUNTERS], between[COUNTERS], random[COUNTERS];
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int count;               /* points of each set */
    int sets;                /* random ones */
    struct point *points;    /* sets + 1 x count, those observed first */
    float cosines[BINS + 1]; /* of the angles where bins end, the largest first */
    struct counts counts;    /* the result, zero before */
    const char *output;      /* file for it; NULL: none is asked for */
};

ON_DEVICE static inline float dot(struct point a, struct point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* The bin of an angle with that cosine. */
ON_DEVICE static inline int bin_of(float cosine, const float *cosines)
{
    int low = 0, high = BINS + 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (cosine >= cosines[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A point anywhere on the sphere, all places being as likely (Marsaglia). */
static inline struct point point_random(uint64_t *seed)
{
    for (;;) {
        const float u = 2.0f * random_float(seed) - 1.0f, v = 2.0f * random_float(seed) - 1.0f;
        const float square = u * u + v * v;
        if (square < 1.0f) {
            const float root = 2.0f * sqrtf(1.0f - square);
            const struct point point = {u * root, v * root, 1.0f - 2.0f * square};
            return point;
        }
    }
}

/* A point near another, the nearer the likelier. */
static inline struct point point_near(struct point other, uint64_t *seed)
{
    const struct point toward = point_random(seed);
    const float share = random_float(seed);
    const float step = 0.3f * share * share * share * share;
    struct point point = {other.x + step * toward.x, other.y + step * toward.y,
                          other.z + step * toward.z};
    const float length = sqrtf(dot(point, point));
    point.x /= length;
    point.y /= length;
    point.z /= length;
    return point;
}

/* POINTS SETS SEED [OUTPUT]: every second point observed is near the one before. */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        fail("usage: %s POINTS SETS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.count = number_argument(argv[1], 1, 1 << 20, "points");
    run.sets = number_argument(argv[2], 0, 1000, "sets");
    uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
    run.output = argc == 5 ? argv[4] : NULL;
    const size_t all = (size_t)run.count * (size_t)(run.sets + 1);
    run.points = (struct point *)allocate(all, sizeof *run.points);
    for (size_t i = 0; i < all; i++) {
        const int is_near = i < (size_t)run.count && i % 2 == 1;
        run.points[i] = is_near ? point_near(run.points[i - 1], &seed) : point_random(&seed);
    }
    const double minute = 3.14159265358979323846 / (180.0 * 60.0);
    for (int i = 0; i <= BINS; i++)
        run.cosines[i] = (float)cos(minute * pow(10.0, (double)i / PER_DECADE));
    memset(&run.counts, 0, sizeof run.counts);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the points. */
static inline void run_finish(const struct run *run, double seconds)
{
    printf("tpacf %d points, %d sets: checksum %016llx\n", run->count, run->sets,
           checksum(&run->counts, 1, sizeof run->counts));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (int i = 0; i < COUNTERS; i++)
            fprintf(file, "%llu %llu %llu\n", run->counts.observed[i], run->counts.between[i],
                    run->counts.random[i]);
        output_close(file, run->output);
    }
    free(run->points);
}

#endif
