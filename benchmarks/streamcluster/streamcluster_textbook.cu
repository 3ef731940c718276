/*
 * Streamcluster: groups a stream of points around centres that cost little. The textbook CUDA form.
 *
 * As the fcw form: a block holds the coordinates of the candidate, one point a thread, and adds up
 * what each centre's points lose in its own memory before it adds these sums to those of all.
 *
 * usage: streamcluster_textbook DIMENSIONS FEWEST MOST CHUNK SEED
 *                               (--points FILE | --generate POINTS) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "search.h"

#ifndef TILE
#define TILE 128 /* points of a block, and its threads */
#endif
#if TILE < 1 || TILE > 1024
#error "a block has one thread a point, 1024 at most"
#endif

/* What the device has of a chunk. */
struct device {
    device_array<float> coordinates, weights, costs;
    device_array<int> assigned, moves;
    device_array<double> losses, saved;

    explicit device(const struct chunk &chunk)
        : coordinates(chunk.coordinates, (size_t)chunk.count * (size_t)chunk.dimensions),
          weights(chunk.weights, (size_t)chunk.count), costs((size_t)chunk.count),
          assigned((size_t)chunk.count), moves((size_t)chunk.count),
          losses((size_t)chunk.count), saved(1)
    {
    }
};

/* All threads of a block fetch the coordinates of the candidate. */
__device__ static void fetch_candidate(int count, int dimensions, int candidate,
                                       const float *coordinates, float *place)
{
    for (int d = threadIdx.x; d < dimensions; d += TILE)
        place[d] = coordinates[(size_t)d * count + candidate];
}

/* What a point costs whose centre is at that place. */
__device__ static float cost_at(int count, int dimensions, const float *coordinates, float weight,
                                int point, const float *place)
{
    float distance = 0.0f;
    for (int d = 0; d < dimensions; d++) {
        const float apart = coordinates[(size_t)d * count + point] - place[d];
        distance += apart * apart;
    }
    return weight * distance;
}

/*
 * `saved` adds up what the points save that cost less at the candidate, `losses`, for each centre,
 * what its other points would cost more there.
 */
__global__ void __launch_bounds__(TILE)
    measure(int count, int dimensions, int candidate, int centers,
            const float *__restrict__ coordinates, const float *__restrict__ weights,
            const float *__restrict__ costs, const int *__restrict__ assigned,
            double *__restrict__ losses, double *__restrict__ saved)
{
    extern __shared__ double tile_losses[];
    __shared__ double tile_saved;
    float *place = (float *)(tile_losses + centers);
    const int thread = threadIdx.x, i = blockIdx.x * TILE + thread;

    fetch_candidate(count, dimensions, candidate, coordinates, place);
    for (int c = thread; c < centers; c += TILE)
        tile_losses[c] = 0.0;
    if (thread == 0)
        tile_saved = 0.0;
    __syncthreads();
    if (i < count) {
        const float cost = cost_at(count, dimensions, coordinates, weights[i], i, place);
        const float before = costs[i];
        if (cost < before)
            atomicAdd(&tile_saved, (double)(before - cost));
        else
            atomicAdd(&tile_losses[assigned[i]], (double)(cost - before));
    }
    __syncthreads();
    for (int c = thread; c < centers; c += TILE)
        atomicAdd(&losses[c], tile_losses[c]);
    if (thread == 0)
        atomicAdd(saved, tile_saved);
}

/* The candidate becomes the centre `last`: of points that cost less there, and of closed centres'. */
__global__ void __launch_bounds__(TILE)
    assign(int count, int dimensions, int candidate, int last,
           const float *__restrict__ coordinates, const float *__restrict__ weights,
           const int *__restrict__ moves, float *__restrict__ costs, int *__restrict__ assigned)
{
    __shared__ float place[MOST_DIMENSIONS];
    const int i = blockIdx.x * TILE + threadIdx.x;

    fetch_candidate(count, dimensions, candidate, coordinates, place);
    __syncthreads();
    if (i < count) {
        const float cost = cost_at(count, dimensions, coordinates, weights[i], i, place);
        const int moved = cost < costs[i] ? last : moves[assigned[i]];
        if (moved == last)
            costs[i] = cost;
        assigned[i] = moved;
    }
}

static double gain(struct chunk *chunk, int candidate, double price)
{
    struct device *device = chunk->device;
    const int count = chunk->count, dimensions = chunk->dimensions, centers = chunk->centers;
    const size_t shared =
        (size_t)centers * sizeof(double) + (size_t)dimensions * sizeof(float);

    double saved;

    device->losses.clear();
    device->saved.clear();
    CHECK(cudaFuncSetAttribute(measure, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    device_launch("measure", [&] {
        measure<<<blocks_for(count, TILE), TILE, shared>>>(
            count, dimensions, candidate, centers, device->coordinates, device->weights,
            device->costs, device->assigned, device->losses, device->saved);
    });
    device->losses.download(chunk->losses, (size_t)centers);
    device->saved.download(&saved);
    const double gained = chunk_decide(chunk, price, saved);
    if (gained <= 0.0)
        return 0.0;
    device->moves.upload(chunk->moves, 0, (size_t)centers);
    device_launch("assign", [&] {
        assign<<<blocks_for(count, TILE), TILE>>>(count, dimensions, candidate, chunk->last,
                                                  device->coordinates, device->weights,
                                                  device->moves, device->costs, device->assigned);
    });
    chunk_renumber(chunk, candidate);
    return gained;
}

static double improve(struct chunk *chunk, int tries, double price, double cost, uint64_t *seed)
{
    const size_t count = (size_t)chunk->count;
    chunk->device->costs.upload(chunk->costs, 0, count);
    chunk->device->assigned.upload(chunk->assigned, 0, count);
    cost = chunk_rounds(chunk, tries, price, cost, seed);
    chunk->device->costs.download(chunk->costs);
    chunk->device->assigned.download(chunk->assigned);
    return cost;
}

/* Adds the centres of these points, whose coordinates and weights stay on the device. */
static void cluster(const struct run *run, int count, const float *values, const float *weights,
                    uint64_t *seed, struct centers *all)
{
    struct chunk chunk = chunk_of(count, run->dimensions, values, weights);
    struct device device(chunk);
    chunk.device = &device;
    centers_add(all, &chunk, chunk_search(&chunk, run, seed));
    chunk_free(&chunk);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    uint64_t seed = run.seed;
    struct centers all = {0, 0, NULL, NULL, 0.0}, result = all;
    const double start = clock_seconds();
    for (int first = 0; first < run.points; first += run.chunk) {
        const int left = run.points - first;
        cluster(&run, left < run.chunk ? left : run.chunk,
                run.values + (size_t)first * (size_t)run.dimensions, NULL, &seed, &all);
    }
    cluster(&run, all.count, all.values, all.weights, &seed, &result);
    run_finish(&run, &all, &result, clock_seconds() - start);
    return 0;
}
