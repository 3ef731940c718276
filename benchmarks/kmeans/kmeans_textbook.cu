/*
 * k-means: groups points around centres, by Lloyd's method. The textbook CUDA form.
 *
 * As the fcw form: a block holds the centres and its points, which it fetches from rows that follow
 * each other, one point a thread, and adds up the points of each cluster in its own memory before it
 * adds these sums to those of all.
 *
 * usage: kmeans_textbook CLUSTERS STEPS (--points FILE | --generate POINTS FEATURES SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "points.h"

#ifndef TILE
#define TILE 128 /* points of a block, and its threads */
#endif
#if TILE < 1 || TILE > 1024
#error "a block has one thread a point, 1024 at most"
#endif

/* The length of a row in shared memory: rows of an odd length are in different banks. */
ON_DEVICE static inline int padded(int features)
{
    return features / 2 * 2 + 1;
}

/* Bytes of shared memory that a block of `assign` needs. */
static size_t shared_bytes(const struct run *run)
{
    return run_coordinates(run) * (sizeof(double) + sizeof(float)) +
           (size_t)TILE * (size_t)padded(run->features) * sizeof(float) +
           (size_t)run->clusters * sizeof(int);
}

/*
 * Each point goes to the nearest centre. `sums` and `counts` add up the points of each cluster,
 * `changed` those that have another cluster than before.
 */
__global__ void __launch_bounds__(TILE)
    assign(int points, int features, int clusters, const float *__restrict__ values,
           const float *__restrict__ centers, int *__restrict__ membership,
           double *__restrict__ sums, int *__restrict__ counts, int *__restrict__ changed)
{
    extern __shared__ double tile_sums[];
    float *tile_centers = (float *)(tile_sums + clusters * features);
    float *tile = tile_centers + clusters * features;
    int *tile_counts = (int *)(tile + TILE * padded(features));
    const int thread = threadIdx.x, first = blockIdx.x * TILE, i = first + thread;
    const int here = min(TILE, points - first); /* the last is partial */

    for (int slot = thread; slot < here * features; slot += TILE)
        tile[slot / features * padded(features) + slot % features] =
            values[(size_t)first * features + slot];
    for (int slot = thread; slot < clusters * features; slot += TILE) {
        tile_centers[slot] = centers[slot];
        tile_sums[slot] = 0.0;
    }
    for (int c = thread; c < clusters; c += TILE)
        tile_counts[c] = 0;
    __syncthreads();
    if (i < points) {
        const float *own = tile + thread * padded(features);
        int nearest = 0;
        float least = FLT_MAX;
        for (int c = 0; c < clusters; c++) {
            float distance = 0.0f;
            for (int f = 0; f < features; f++) {
                const float apart = own[f] - tile_centers[c * features + f];
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
        atomicAdd(&tile_counts[nearest], 1);
        for (int f = 0; f < features; f++)
            atomicAdd(&tile_sums[nearest * features + f], (double)own[f]);
    }
    __syncthreads();
    for (int slot = thread; slot < clusters * features; slot += TILE)
        atomicAdd(&sums[slot], tile_sums[slot]);
    for (int c = thread; c < clusters; c += TILE)
        atomicAdd(&counts[c], tile_counts[c]);
}

/* The centres become the means of their points. */
__global__ void __launch_bounds__(TILE)
    move(int features, int clusters, const double *__restrict__ sums,
         const int *__restrict__ counts, float *__restrict__ centers)
{
    const int slot = blockIdx.x * TILE + threadIdx.x;
    if (slot < clusters * features && counts[slot / features] > 0)
        centers[slot] = (float)(sums[slot] / counts[slot / features]);
}

/* All steps on the device. Returns how many there were. */
static int group(const struct run *run, int *membership)
{
    const size_t points = (size_t)run->points, coordinates = run_coordinates(run);
    const size_t shared = shared_bytes(run);
    const device_array<float> values(run->values, run_values(run));
    const device_array<float> centers(run->centers, coordinates);
    device_array<double> sums(coordinates);
    device_array<int> counts((size_t)run->clusters);
    const device_array<int> clusters(membership, points);
    device_array<int> device_changed(1);
    int changed = 1, step = 0;

    CHECK(cudaFuncSetAttribute(assign, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    for (; step < run->steps && changed > 0; step++) {
        sums.clear();
        counts.clear();
        device_changed.clear();
        device_launch("assign", [&] {
            assign<<<blocks_for(run->points, TILE), TILE, shared>>>(
                run->points, run->features, run->clusters, values, centers, clusters, sums, counts,
                device_changed);
        });
        device_launch("move", [&] {
            move<<<blocks_for((int)coordinates, TILE), TILE>>>(run->features, run->clusters, sums,
                                                               counts, centers);
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
