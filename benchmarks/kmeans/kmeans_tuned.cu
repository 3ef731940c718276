/*
 * k-means: groups points around centres, by Lloyd's method. The tuned CUDA form.
 *
 * The features are turned round once, so that neighbouring threads read neighbouring values. A
 * thread compares OWN points with GROUP centres at a time, all distances in registers, the centres
 * in shared memory. Only points that change their cluster are added to the sums of the new one and
 * taken from those of the old one: where sums are exact, they are those of all points, and in late
 * steps there is little to add.
 *
 * usage: kmeans_tuned CLUSTERS STEPS (--points FILE | --generate POINTS FEATURES SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "points.h"

#ifndef THREADS
#define THREADS 128 /* threads of a block */
#endif
#ifndef OWN
#define OWN 2 /* points of a thread */
#endif
#ifndef GROUP
#define GROUP 8 /* centres that are compared at a time */
#endif
#if THREADS < 1 || THREADS > 1024 || OWN < 1 || GROUP < 1
#error "a block has 1 to 1024 threads, each with points to compare with centres"
#endif
#define TILE (THREADS * OWN)
#define SIDE 32 /* of the tiles that are turned round */
#define LINES 8 /* rows of their threads */

/* `turned` has the features of all points one after the other. */
__global__ void __launch_bounds__(SIDE *LINES)
    turn(int points, int features, const float *__restrict__ values, float *__restrict__ turned)
{
    __shared__ float tile[SIDE][SIDE + 1]; /* an odd length: columns are in different banks */
    const int first_point = blockIdx.x * SIDE, first_feature = blockIdx.y * SIDE;
    const int x = threadIdx.x;

    for (int y = threadIdx.y; y < SIDE; y += LINES)
        if (first_point + y < points && first_feature + x < features)
            tile[y][x] = values[(size_t)(first_point + y) * features + first_feature + x];
    __syncthreads();
    for (int y = threadIdx.y; y < SIDE; y += LINES)
        if (first_point + x < points && first_feature + y < features)
            turned[(size_t)(first_feature + y) * points + first_point + x] = tile[x][y];
}

/* Bytes of shared memory that a block of `assign` needs. */
static size_t shared_bytes(const struct run *run)
{
    return run_coordinates(run) * (sizeof(double) + sizeof(float)) +
           (size_t)run->clusters * sizeof(int);
}

/*
 * Each point goes to the nearest centre. `sums` and `counts` keep up with the points that change
 * their cluster; `changed` counts these.
 */
__global__ void __launch_bounds__(THREADS)
    assign(int points, int features, int clusters, const float *__restrict__ turned,
           const float *__restrict__ centers, int *__restrict__ membership,
           double *__restrict__ sums, int *__restrict__ counts, int *__restrict__ changed)
{
    extern __shared__ double tile_sums[];
    __shared__ int tile_changed;
    float *tile_centers = (float *)(tile_sums + clusters * features);
    int *tile_counts = (int *)(tile_centers + clusters * features);
    const int thread = threadIdx.x, first = blockIdx.x * TILE + thread;
    int nearest[OWN], at[OWN];
    float least[OWN];

    for (int slot = thread; slot < clusters * features; slot += THREADS) {
        tile_centers[slot] = centers[slot];
        tile_sums[slot] = 0.0;
    }
    for (int c = thread; c < clusters; c += THREADS)
        tile_counts[c] = 0;
    if (thread == 0)
        tile_changed = 0;
    for (int p = 0; p < OWN; p++) {
        at[p] = min(first + p * THREADS, points - 1);
        nearest[p] = 0;
        least[p] = FLT_MAX;
    }
    __syncthreads();
    for (int c = 0; c < clusters; c += GROUP) {
        float distance[OWN][GROUP] = {};
        for (int f = 0; f < features; f++) {
            float value[OWN];
#pragma unroll
            for (int p = 0; p < OWN; p++)
                value[p] = turned[(size_t)f * points + at[p]];
#pragma unroll
            for (int g = 0; g < GROUP; g++) {
                const float center = tile_centers[min(c + g, clusters - 1) * features + f];
#pragma unroll
                for (int p = 0; p < OWN; p++) {
                    const float apart = value[p] - center;
                    distance[p][g] += apart * apart;
                }
            }
        }
#pragma unroll
        for (int p = 0; p < OWN; p++) {
#pragma unroll
            for (int g = 0; g < GROUP; g++) { /* beyond the last centre: it again, no nearer */
                if (distance[p][g] < least[p]) {
                    nearest[p] = c + g;
                    least[p] = distance[p][g];
                }
            }
        }
    }
    for (int p = 0; p < OWN; p++) {
        const int i = first + p * THREADS;
        if (i >= points || membership[i] == nearest[p])
            continue;
        const int before = membership[i], after = nearest[p];
        membership[i] = after;
        atomicAdd(&tile_changed, 1);
        atomicAdd(&tile_counts[after], 1);
        if (before >= 0)
            atomicAdd(&tile_counts[before], -1);
        for (int f = 0; f < features; f++) {
            const double value = turned[(size_t)f * points + i];
            atomicAdd(&tile_sums[after * features + f], value);
            if (before >= 0)
                atomicAdd(&tile_sums[before * features + f], -value);
        }
    }
    __syncthreads();
    if (tile_changed == 0)
        return;
    for (int slot = thread; slot < clusters * features; slot += THREADS)
        if (tile_sums[slot] != 0.0)
            atomicAdd(&sums[slot], tile_sums[slot]);
    for (int c = thread; c < clusters; c += THREADS)
        if (tile_counts[c] != 0)
            atomicAdd(&counts[c], tile_counts[c]);
    if (thread == 0)
        atomicAdd(changed, tile_changed);
}

/* The centres become the means of their points. */
__global__ void __launch_bounds__(THREADS)
    move(int features, int clusters, const double *__restrict__ sums,
         const int *__restrict__ counts, float *__restrict__ centers)
{
    const int slot = blockIdx.x * THREADS + threadIdx.x;
    if (slot < clusters * features && counts[slot / features] > 0)
        centers[slot] = (float)(sums[slot] / counts[slot / features]);
}

/* The features of all points, turned round. */
static void turn_values(const struct run *run, float *turned)
{
    const device_array<float> values(run->values, run_values(run));
    const dim3 grid(blocks_for(run->points, SIDE), blocks_for(run->features, SIDE));
    device_launch("turn", [&] {
        turn<<<grid, dim3(SIDE, LINES)>>>(run->points, run->features, values, turned);
    });
}

/* All steps on the device. Returns how many there were. */
static int group(const struct run *run, int *membership)
{
    const size_t points = (size_t)run->points, coordinates = run_coordinates(run);
    const size_t shared = shared_bytes(run);
    const device_array<float> turned(run_values(run)), centers(run->centers, coordinates);
    device_array<double> sums(coordinates);
    device_array<int> counts((size_t)run->clusters);
    const device_array<int> clusters(membership, points);
    device_array<int> device_changed(1);
    int changed = 1, step = 0;

    CHECK(cudaFuncSetAttribute(assign, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    turn_values(run, turned);
    sums.clear();
    counts.clear();
    for (; step < run->steps && changed > 0; step++) {
        device_changed.clear();
        device_launch("assign", [&] {
            assign<<<blocks_for(run->points, TILE), THREADS, shared>>>(
                run->points, run->features, run->clusters, turned, centers, clusters, sums, counts,
                device_changed);
        });
        device_launch("move", [&] {
            move<<<blocks_for((int)coordinates, THREADS), THREADS>>>(run->features, run->clusters,
                                                                     sums, counts, centers);
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
