/*
 * B+ tree: the records of keys, and of ranges of keys. The textbook CUDA form, as Rodinia's.
 *
 * As the fcw form: a block goes down the tree for each key. One of its threads finds between which
 * keys of a node that one is, and tells the others the child in shared memory.
 *
 * usage: btree_textbook QUERIES RANGES SEED (--keys FILE | --generate KEYS) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "tree.h"

/* Whether a key is that of a lane, or between it and the next one; those before are the first one's. */
__device__ static bool is_place(const int *keys, int lane, int key)
{
    return (lane == 0 || keys[lane] <= key) && (lane == ORDER - 1 || key < keys[lane + 1]);
}

/* The records of keys; -1: there is none. */
__global__ void __launch_bounds__(ORDER)
    find(int nodes, int height, const int (*__restrict__ keys)[ORDER],
         const int (*__restrict__ children)[ORDER], const int *__restrict__ wanted,
         int *__restrict__ found)
{
    __shared__ int child;
    const int lane = threadIdx.x, key = wanted[blockIdx.x];
    int node = nodes - 1;

    for (int level = 1; level < height; level++) {
        if (is_place(keys[node], lane, key))
            child = children[node][lane];
        __syncthreads();
        node = child;
        __syncthreads();
    }
    if (is_place(keys[node], lane, key))
        found[blockIdx.x] = keys[node][lane] == key ? children[node][lane] : -1;
}

/* How many keys of the tree are before the bounds of ranges. */
__global__ void __launch_bounds__(ORDER)
    find_ranges(int nodes, int height, const int (*__restrict__ keys)[ORDER],
                const int (*__restrict__ children)[ORDER], const int (*__restrict__ bounds)[2],
                int (*__restrict__ ranks)[2])
{
    __shared__ int child;
    const int lane = threadIdx.x;

    for (int side = 0; side < 2; side++) {
        const int last = bounds[blockIdx.x][side] - 1; /* the last key that is less */
        int node = nodes - 1;
        for (int level = 1; level < height; level++) {
            if (is_place(keys[node], lane, last))
                child = children[node][lane];
            __syncthreads();
            node = child;
            __syncthreads();
        }
        if (is_place(keys[node], lane, last))
            ranks[blockIdx.x][side] = node * ORDER + lane + (keys[node][lane] <= last);
    }
}

/* All questions on the device, where the tree is. */
static void answer(const struct run *run)
{
    const struct tree *tree = &run->tree;
    const size_t nodes = (size_t)tree->nodes;
    const device_array<int[ORDER]> keys(tree->keys, nodes), children(tree->children, nodes);
    const device_array<int> wanted(run->wanted, (size_t)run->queries + 1);
    const device_array<int[2]> bounds(run->bounds, (size_t)run->ranges + 1);
    const device_array<int> found((size_t)run->queries + 1);
    const device_array<int[2]> ranks((size_t)run->ranges + 1);

    if (run->queries > 0)
        device_launch("find", [&] {
            find<<<run->queries, ORDER>>>(tree->nodes, tree->height, keys, children, wanted, found);
        });
    if (run->ranges > 0)
        device_launch("find_ranges", [&] {
            find_ranges<<<run->ranges, ORDER>>>(tree->nodes, tree->height, keys, children, bounds,
                                                ranks);
        });
    found.download(run->found, (size_t)run->queries);
    ranks.download(run->ranks, (size_t)run->ranges);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    answer(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
