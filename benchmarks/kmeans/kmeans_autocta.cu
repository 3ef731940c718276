/*
 * k-means: groups points around centres, by Lloyd's method. CUDA on the host's arrays, with
 * blocks that AUTO-CTA chooses.
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
__global__ void assign(int points, int features, int clusters, const float *values,
                       const float *centers, int *membership, double *sums, int *counts, int *changed)
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
__global__ void move(int coordinates, int features, const double *sums, const int *counts,
                     float *centers)
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
    const size_t value_bytes = run_values(run) * sizeof(float);
    const size_t count_bytes = (size_t)run->clusters * sizeof(int);
    float *values = (float *)malloc(value_bytes);
    float *centers = (float *)malloc((size_t)coordinates * sizeof(float));
    double *sums = (double *)malloc((size_t)coordinates * sizeof(double));
    int *counts = (int *)malloc(count_bytes), *clusters = (int *)malloc((size_t)points * sizeof(int));
    int changed[1] = {1};
    int step = 0;
    memcpy(values, run->values, value_bytes);
    memcpy(centers, run->centers, (size_t)coordinates * sizeof(float));
    memcpy(clusters, membership, (size_t)points * sizeof(int));

    for (; step < run->steps && changed[0] > 0; step++) {
        memset(sums, 0, (size_t)coordinates * sizeof(double));
        memset(counts, 0, count_bytes);
        changed[0] = 0;
#pragma AUTO-CTA points
        assign<<<blocks_for(points, BLOCK), BLOCK>>>(points, run->features, run->clusters, values,
                                                     centers, clusters, sums, counts, changed);
#pragma AUTO-CTA coordinates
        move<<<blocks_for(coordinates, BLOCK), BLOCK>>>(coordinates, run->features, sums, counts,
                                                        centers);
        CHECK(cudaGetLastError());
    }
    memcpy(membership, clusters, (size_t)points * sizeof(int));
    memcpy(run->centers, centers, (size_t)coordinates * sizeof(float));
    free(values);
    free(centers);
    free(sums);
    free(counts);
    free(clusters);
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
