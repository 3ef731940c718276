/*
 * NN: the records nearest to a place. The textbook CUDA form: the device computes all distances,
 * one a thread, the host finds the least of them.
 *
 * usage: nn_textbook NEAREST LATITUDE LONGITUDE (--records FILE | --generate COUNT SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "records.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif

/* How far each place is. */
__global__ void __launch_bounds__(BLOCK)
    measure(int count, const struct place *__restrict__ places, struct place target,
            float *__restrict__ distances)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < count)
        distances[i] = distance_between(places[i], target);
}

/* The nearest `wanted` records, the nearest first: a sorted list of the nearest so far. */
static void choose(int count, const float *distances, int wanted, struct neighbour *nearest)
{
    int known = 0;
    for (int i = 0; i < count; i++) {
        if (known == wanted && distances[i] >= nearest[known - 1].distance)
            continue;
        int at = known < wanted ? known++ : known - 1;
        for (; at > 0 && distances[i] < nearest[at - 1].distance; at--)
            nearest[at] = nearest[at - 1];
        nearest[at].record = i;
        nearest[at].distance = distances[i];
    }
}

static void find(const struct run *run, float *distances, struct neighbour *nearest)
{
    const size_t count = (size_t)run->count;
    const device_array<struct place> places(run->places, count);
    const device_array<float> device_distances(count);

    device_launch("measure", [&] {
        measure<<<blocks_for(run->count, BLOCK), BLOCK>>>(run->count, places, run->target,
                                                          device_distances);
    });
    device_distances.download(distances);
    choose(run->count, distances, run->wanted, nearest);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    float *distances = (float *)allocate((size_t)run.count, sizeof *distances);
    struct neighbour *nearest =
        (struct neighbour *)allocate((size_t)run.wanted, sizeof *nearest);
    const double start = clock_seconds();
    find(&run, distances, nearest);
    run_finish(&run, nearest, clock_seconds() - start);
    free(distances);
    free(nearest);
    return 0;
}
