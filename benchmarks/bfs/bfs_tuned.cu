/*
 * BFS: the shortest paths from one node of a graph, breadth first. The tuned CUDA form.
 *
 * The frontier is a list: a launch touches its nodes and their edges, and no others. Who finds a
 * new node first, by an atomic exchange, puts it into a list of the block in shared memory; blocks
 * add theirs to the next frontier with one atomic operation.
 *
 * usage: bfs_tuned (--graph FILE | --generate NODES SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "graph.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#ifndef ROOM
#define ROOM 2048 /* new nodes of a block in shared memory; the others go their own way */
#endif
#if BLOCK < 1 || BLOCK > 1024 || ROOM < 1 || ROOM > 8192
#error "a block has 1 to 1024 threads and room for a node at least"
#endif

/* Only the source is known. */
__global__ void __launch_bounds__(BLOCK)
    begin(int node_count, int source, int *__restrict__ lengths, int *__restrict__ frontier)
{
    const int node = blockIdx.x * BLOCK + threadIdx.x;
    if (node < node_count)
        lengths[node] = node == source ? 0 : -1;
    if (node == 0)
        frontier[0] = source;
}

/* Nodes that edges reach first from the frontier are `length` edges away, and the next frontier. */
__global__ void __launch_bounds__(BLOCK)
    expand(int count, const int *__restrict__ frontier, const struct node *__restrict__ nodes,
           const int *__restrict__ targets, int length, int *__restrict__ lengths,
           int *__restrict__ next, int *__restrict__ next_count)
{
    __shared__ int found[ROOM], found_count, start;
    const int i = blockIdx.x * BLOCK + threadIdx.x;

    if (threadIdx.x == 0)
        found_count = 0;
    __syncthreads();
    if (i < count) {
        const struct node from = nodes[frontier[i]];
        for (int edge = from.first; edge < from.first + from.edges; edge++) {
            const int target = targets[edge];
            if (atomicCAS(&lengths[target], -1, length) != -1)
                continue;
            const int at = atomicAdd(&found_count, 1);
            if (at < ROOM)
                found[at] = target;
            else
                next[atomicAdd(next_count, 1)] = target;
        }
    }
    __syncthreads();
    const int kept = min(found_count, ROOM);
    if (threadIdx.x == 0)
        start = atomicAdd(next_count, kept);
    __syncthreads();
    for (int at = threadIdx.x; at < kept; at += BLOCK)
        next[start + at] = found[at];
}

/* The whole search on the device. */
static void search(const struct run *run, int *host_lengths)
{
    const size_t count = (size_t)run->node_count, edges = (size_t)run->edge_count;
    const device_array<struct node> nodes(run->nodes, count);
    const device_array<int> targets(run->targets, edges);
    const device_array<int> lengths(count);
    device_array<int> frontier(count), next(count);
    device_array<int> next_count(1);
    int in_frontier = 1;

    device_launch("begin", [&] {
        begin<<<blocks_for(run->node_count, BLOCK), BLOCK>>>(run->node_count, run->source, lengths,
                                                             frontier);
    });
    for (int length = 1; in_frontier > 0; length++) {
        next_count.clear();
        device_launch("expand", [&] {
            expand<<<blocks_for(in_frontier, BLOCK), BLOCK>>>(in_frontier, frontier, nodes, targets,
                                                              length, lengths, next, next_count);
        });
        next_count.download(&in_frontier);
        frontier.swap(next);
    }
    lengths.download(host_lengths);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    int *lengths = (int *)allocate((size_t)run.node_count, sizeof *lengths);
    const double start = clock_seconds();
    search(&run, lengths);
    run_finish(&run, lengths, clock_seconds() - start);
    free(lengths);
    return 0;
}
