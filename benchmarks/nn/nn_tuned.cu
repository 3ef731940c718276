/*
 * NN: the records nearest to a place. The tuned CUDA form: a tournament.
 *
 * Each record has a key, its distance and then its number, so that keys are in the order that is
 * asked for. A block has TILE keys in registers and finds the least of them again and again, by
 * shuffles and one barrier each; only these go on to the next launch, until one block has them all.
 * So the places are read once, and nothing else is as large. More neighbours than a tournament
 * finds are found by several.
 *
 * usage: nn_tuned NEAREST LATITUDE LONGITUDE (--records FILE | --generate COUNT SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "records.h"

#define BLOCK 256 /* threads of a block */
#define KEYS 8    /* of a thread */
#define TILE (BLOCK * KEYS)
#ifndef MOST
#define MOST (TILE / 4) /* that one tournament finds */
#endif
#define WARPS (BLOCK / 32)

typedef unsigned long long key;

#define NO_KEY (~(key)0)

/* The key of a record; distances are not negative, so that their bits are in order, too. */
__device__ static key key_of(int record, float distance)
{
    return (key)__float_as_uint(distance) << 32 | (key)record;
}

/* Finds the `wanted` least of the keys of the block, in order. */
__device__ static void least_keys(key (&own)[KEYS], int wanted, key *keys)
{
    __shared__ key of_warps[2][WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    key *found = keys + (size_t)blockIdx.x * wanted;

    for (int round = 0; round < wanted; round++) {
        key mine = NO_KEY;
#pragma unroll
        for (int k = 0; k < KEYS; k++)
            mine = min(mine, own[k]);
        key least = mine;
        for (int distance = 16; distance > 0; distance /= 2)
            least = min(least, __shfl_xor_sync(WHOLE_WARP, least, distance));
        if (lane == 0)
            of_warps[round % 2][warp] = least;
        __syncthreads();
        for (int other = 0; other < WARPS; other++)
            least = min(least, of_warps[round % 2][other]);
        if (threadIdx.x == 0)
            found[round] = least;
        if (mine == least) {
#pragma unroll
            for (int k = 0; k < KEYS; k++)
                if (own[k] == least)
                    own[k] = NO_KEY;
        }
    }
}

/* The `wanted` least keys of each tile of places, of those that are more than `after`. */
__global__ void __launch_bounds__(BLOCK)
    choose_places(int count, const struct place *__restrict__ places, struct place target,
                  bool all, key after, int wanted, key *__restrict__ keys)
{
    key own[KEYS];
#pragma unroll
    for (int k = 0; k < KEYS; k++) {
        const int i = blockIdx.x * TILE + k * BLOCK + threadIdx.x;
        own[k] = i < count ? key_of(i, distance_between(places[i], target)) : NO_KEY;
        if (!all && own[k] <= after)
            own[k] = NO_KEY;
    }
    least_keys(own, wanted, keys);
}

/* The `wanted` least of each tile of keys. */
__global__ void __launch_bounds__(BLOCK)
    choose_keys(int count, const key *__restrict__ from, int wanted, key *__restrict__ keys)
{
    key own[KEYS];
#pragma unroll
    for (int k = 0; k < KEYS; k++) {
        const int i = blockIdx.x * TILE + k * BLOCK + threadIdx.x;
        own[k] = i < count ? from[i] : NO_KEY;
    }
    least_keys(own, wanted, keys);
}

/* The next `wanted` neighbours after those `known`. */
static void tournament(const struct run *run, const struct place *places, int known, int wanted,
                       device_array<key> &front, device_array<key> &back, key *keys)
{
    const key after = known > 0 ? keys[known - 1] : 0;
    int blocks = blocks_for(run->count, TILE);
    device_launch("choose_places", [&] {
        choose_places<<<blocks, BLOCK>>>(run->count, places, run->target, known == 0, after, wanted,
                                         front);
    });
    while (blocks > 1) {
        const int left = blocks * wanted;
        blocks = blocks_for(left, TILE);
        device_launch("choose_keys",
                      [&] { choose_keys<<<blocks, BLOCK>>>(left, front, wanted, back); });
        front.swap(back);
    }
    front.download(keys + known, (size_t)wanted);
}

static void find(const struct run *run, key *keys, struct neighbour *nearest)
{
    const int most = min(run->wanted, MOST);
    const size_t room = (size_t)blocks_for(run->count, TILE) * (size_t)most;
    const device_array<struct place> places(run->places, (size_t)run->count);
    device_array<key> front(room), back(room);

    for (int known = 0; known < run->wanted; known += most)
        tournament(run, places, known, min(most, run->wanted - known), front, back, keys);
    for (int i = 0; i < run->wanted; i++) {
        const uint32_t bits = (uint32_t)(keys[i] >> 32);
        nearest[i].record = (int)(keys[i] & 0xffffffffu);
        memcpy(&nearest[i].distance, &bits, sizeof bits);
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    key *keys = (key *)allocate((size_t)run.wanted, sizeof *keys);
    struct neighbour *nearest =
        (struct neighbour *)allocate((size_t)run.wanted, sizeof *nearest);
    const double start = clock_seconds();
    find(&run, keys, nearest);
    run_finish(&run, nearest, clock_seconds() - start);
    free(keys);
    free(nearest);
    return 0;
}
