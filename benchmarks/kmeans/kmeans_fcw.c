/*
 * k-means: groups points around centres, by Lloyd's method. The fcw form.
 *
 * A block holds the centres and its points, which it fetches from rows that follow each other, and
 * adds up the points of each cluster in its own memory before it adds these sums to those of all.
 *
 * usage: kmeans_fcw CLUSTERS STEPS (--points FILE | --generate POINTS FEATURES SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "points.h"

#ifndef TILE
#define TILE 128 /* points of a block, and its threads */
#endif
#if TILE < 1 || TILE > 1024
#error "a block has one thread a point, 1024 at most"
#endif

/* No point is counted yet. */
static void clear(int features, int clusters, double (*restrict sums)[features],
                  int *restrict counts)
{
    #pragma acc parallel loop present(sums, counts)
    for (int c = 0; c < clusters; c++) {
        counts[c] = 0;
        for (int f = 0; f < features; f++)
            sums[c][f] = 0.0;
    }
}

/*
 * Each point goes to the nearest centre. `sums` and `counts` add up the points of each cluster.
 * Returns how many points have another cluster than before.
 */
static int assign(int points, int features, int clusters,
                  const float (*restrict values)[features],
                  const float (*restrict centers)[features], int *restrict membership,
                  double (*restrict sums)[features], int *restrict counts)
{
    int changed = 0;

    const int tiles = (points + TILE - 1) / TILE;
    const int padding = features / 2 * 2; /* rows of an odd length are in different banks */
    double (*restrict tile_sums)[features] = NULL; /* only windows of these exist */
    int *restrict tile_counts = NULL;

    #pragma acc kernels present(values, centers, membership, sums, counts)
    #pragma acc loop independent vector(TILE) reduction(+ : changed)
    for (int i = 0; i < tiles * TILE; i++) {
        const int lane = i % TILE;

        #pragma acc fcw FETCH_ONLY(values[i:0:0:0:0:padding]) \
                        FETCH_ONLY(centers[0:0:clusters - 1:0:0:features - 1]) \
                        CHANNEL_ONLY(tile_sums[0:0:clusters - 1:0:0:features - 1]) \
                        CHANNEL_ONLY(tile_counts[0:0:clusters - 1]) explicit
        {
            for (int slot = lane; slot < clusters * features; slot += TILE)
                tile_sums[slot / features][slot % features] = 0.0;
            for (int c = lane; c < clusters; c += TILE)
                tile_counts[c] = 0;
            #pragma acc fcw_barrier
            if (i < points) {
                int nearest = 0;
                float least = FLT_MAX;
                for (int c = 0; c < clusters; c++) {
                    float distance = 0.0f;
                    for (int f = 0; f < features; f++) {
                        const float apart = values[i][f] - centers[c][f];
                        distance += apart * apart;
                    }
                    if (distance < least) {
                        nearest = c;
                        least = distance;
                    }
                }
                changed += membership[i] != nearest;
                membership[i] = nearest;
                #pragma acc atomic update
                tile_counts[nearest]++;
                for (int f = 0; f < features; f++) {
                    #pragma acc atomic update
                    tile_sums[nearest][f] += values[i][f];
                }
            }
            #pragma acc fcw_barrier
            for (int slot = lane; slot < clusters * features; slot += TILE) {
                #pragma acc atomic update
                sums[slot / features][slot % features] +=
                    tile_sums[slot / features][slot % features];
            }
            for (int c = lane; c < clusters; c += TILE) {
                #pragma acc atomic update
                counts[c] += tile_counts[c];
            }
        }
    }
    return changed;
}

/* The centres become the means of their points. */
static void move(int features, int clusters, const double (*restrict sums)[features],
                 const int *restrict counts, float (*restrict centers)[features])
{
    #pragma acc parallel loop collapse(2) present(sums, counts, centers)
    for (int c = 0; c < clusters; c++) {
        for (int f = 0; f < features; f++) {
            if (counts[c] > 0)
                centers[c][f] = (float)(sums[c][f] / counts[c]);
        }
    }
}

/* All steps on the device. Returns how many there were. */
static int group(const struct run *run, int *membership)
{
    const int points = run->points, features = run->features, clusters = run->clusters;
    const float (*values)[features] = (const float (*)[features])run->values;
    float (*centers)[features] = (float (*)[features])run->centers;
    double (*sums)[features] = (double (*)[features])allocate((size_t)clusters, sizeof *sums);
    int *counts = (int *)allocate((size_t)clusters, sizeof *counts);
    int changed = 1, step = 0;

    #pragma acc data copyin(values[0:points][0:features]) \
                     copy(centers[0:clusters][0:features], membership[0:points]) \
                     create(sums[0:clusters][0:features], counts[0:clusters])
    for (; step < run->steps && changed > 0; step++) {
        clear(features, clusters, sums, counts);
        changed = assign(points, features, clusters, values, (const float (*)[features])centers,
                         membership, sums, counts);
        move(features, clusters, (const double (*)[features])sums, counts, centers);
    }
    free(sums);
    free(counts);
    return step;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    int *membership = (int *)allocate((size_t)run.points, sizeof *membership);
    const double start = clock_seconds();
    for (int i = 0; i < run.points; i++)
        membership[i] = -1;
    const int steps = group(&run, membership);
    run_finish(&run, membership, steps, clock_seconds() - start);
    free(membership);
    return 0;
}
