/*
 * k-means: groups points around centres, by Lloyd's method. CUDA with blocks that AUTO-CTA chooses.
 *
 * The loops of the serial form as kernels: the nearest centre, a point a thread; the means, a
 * coordinate a thread.
 *
 * usage: kmeans_autocta CLUSTERS STEPS (--points FILE | --generate POINTS FEATURES SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "points.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block where none are chosen, as in Rodinia */
#endif

/*
 * Each point goes to the nearest centre. `sums` and `counts` add up the points of each cluster,
 * `changed` those that have another cluster than before.
 */
__global__ void assign(int points, int features, int clusters, const float *__restrict__ values,
                       const float *__restrict__ centers, int *__restrict__ membership,
                       double *__restrict__ sums, int *__restrict__ counts,
                       int *__restrict__ changed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points)
        return;
    const float *own = values + (size_t)i * features;
    int nearest = 0;
    float least = FLT_MAX;
    for (int c = 0; c < clusters; c++) {
        float distance = 0.0f;
        for (int f = 0; f < features; f++) {
            const float apart = own[f] - centers[c * features + f];
            distance += apart * apart;
        }
        if (distance < least) {
            nearest = c;
            least = distance;
        }
    }
    if (membership[i] != nearest)
        atomicAdd(changed, 1);
    membership[i] = nearest;
    atomicAdd(&counts[nearest], 1);
    for (int f = 0; f < features; f++)
        atomicAdd(&sums[nearest * features + f], (double)own[f]);
}

/* The centres become the means of their points. */
__global__ void move(int coordinates, int features, const double *__restrict__ sums,
                     const int *__restrict__ counts, float *__restrict__ centers)
{
    const int slot = blockIdx.x * blockDim.x + threadIdx.x;
    if (slot >= coordinates)
        return;
    const int cluster = slot / features;
    if (counts[cluster] > 0)
        centers[slot] = (float)(sums[slot] / counts[cluster]);
}

/* All steps on the device. Returns how many there were. */
static int group(const struct run *run, int *membership)
{
    const int points = run->points, coordinates = (int)run_coordinates(run);
    const device_array<float> values(run->values, run_values(run));
    const device_array<float> centers(run->centers, (size_t)coordinates);
    device_array<double> sums((size_t)coordinates);
    device_array<int> counts((size_t)run->clusters);
    const device_array<int> clusters(membership, (size_t)points);
    device_array<int> device_changed(1);
    int changed = 1, step = 0;

    for (; step < run->steps && changed > 0; step++) {
        sums.clear();
        counts.clear();
        device_changed.clear();
        device_launch("assign", [&] {
#pragma AUTO-CTA points
            assign<<<blocks_for(points, BLOCK), BLOCK>>>(points, run->features, run->clusters, values,
                                                         centers, clusters, sums, counts,
                                                         device_changed);
        });
        device_launch("move", [&] {
#pragma AUTO-CTA coordinates
            move<<<blocks_for(coordinates, BLOCK), BLOCK>>>(coordinates, run->features, sums, counts,
                                                            centers);
        });
        device_changed.download(&changed);
    }
    clusters.download(membership);
    centers.download(run->centers);
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
