/*
 * k-means: groups points around centres, by Lloyd's method. The serial form.
 *
 * usage: kmeans_serial CLUSTERS STEPS (--points FILE | --generate POINTS FEATURES SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "points.h"

/*
 * Each point goes to the nearest centre. `sums` and `counts` add up the points of each cluster.
 * Returns how many points have another cluster than before.
 */
static int assign(int points, int features, int clusters, const float (*values)[features],
                  const float (*centers)[features], int *membership, double (*sums)[features],
                  int *counts)
{
    int changed = 0;
    memset(sums, 0, (size_t)clusters * sizeof *sums);
    memset(counts, 0, (size_t)clusters * sizeof *counts);
    for (int i = 0; i < points; i++) {
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
        counts[nearest]++;
        for (int f = 0; f < features; f++)
            sums[nearest][f] += values[i][f];
    }
    return changed;
}

/* The centres become the means of their points. */
static void move(int features, int clusters, const double (*sums)[features], const int *counts,
                 float (*centers)[features])
{
    for (int c = 0; c < clusters; c++) {
        for (int f = 0; f < features; f++) {
            if (counts[c] > 0)
                centers[c][f] = (float)(sums[c][f] / counts[c]);
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int points = run.points, features = run.features, clusters = run.clusters;
    float (*centers)[features] = (float (*)[features])run.centers;
    int *membership = (int *)allocate((size_t)points, sizeof *membership);
    double (*sums)[features] = (double (*)[features])allocate((size_t)clusters, sizeof *sums);
    int *counts = (int *)allocate((size_t)clusters, sizeof *counts);
    const double start = clock_seconds();
    int changed = 1, step = 0;
    for (int i = 0; i < points; i++)
        membership[i] = -1;
    for (; step < run.steps && changed > 0; step++) {
        changed = assign(points, features, clusters, (const float (*)[features])run.values,
                         (const float (*)[features])centers, membership, sums, counts);
        move(features, clusters, (const double (*)[features])sums, counts, centers);
    }
    run_finish(&run, membership, step, clock_seconds() - start);
    free(membership);
    free(sums);
    free(counts);
    return 0;
}
