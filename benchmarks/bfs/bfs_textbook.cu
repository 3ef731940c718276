/*
 * BFS: the shortest paths from one node of a graph, breadth first. The textbook CUDA form.
 *
 * All nodes of the same distance at a time, as the form with directives: one kernel marks what
 * edges reach from the frontier, a second one makes that the next frontier; a thread has one node.
 *
 * usage: bfs_textbook (--graph FILE | --generate NODES SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "graph.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif

/* Only the source is known, and at the frontier. */
__global__ void __launch_bounds__(BLOCK)
    begin(int node_count, int source, int *__restrict__ lengths,
          unsigned char *__restrict__ frontier, unsigned char *__restrict__ reached)
{
    const int node = blockIdx.x * BLOCK + threadIdx.x;
    if (node >= node_count)
        return;
    lengths[node] = node == source ? 0 : -1;
    frontier[node] = node == source;
    reached[node] = 0;
}

/*
 * Marks the new nodes that edges reach from the frontier, which is left. Several edges may reach
 * one node: one of them marks it.
 */
__global__ void __launch_bounds__(BLOCK)
    expand(int node_count, const struct node *__restrict__ nodes, const int *__restrict__ targets,
           const int *__restrict__ lengths, unsigned char *__restrict__ frontier,
           unsigned char *__restrict__ reached)
{
    const int node = blockIdx.x * BLOCK + threadIdx.x;
    if (node >= node_count || !frontier[node])
        return;
    frontier[node] = 0;
    const struct node from = nodes[node];
    for (int edge = from.first; edge < from.first + from.edges; edge++) {
        const int target = targets[edge];
        if (lengths[target] < 0)
            reached[target] = 1;
    }
}

/* The marked nodes are `length` edges away and the next frontier. Says whether there are any. */
__global__ void __launch_bounds__(BLOCK)
    settle(int node_count, int length, int *__restrict__ lengths,
           unsigned char *__restrict__ frontier, unsigned char *__restrict__ reached,
           int *__restrict__ any)
{
    const int node = blockIdx.x * BLOCK + threadIdx.x;
    if (node >= node_count || !reached[node])
        return;
    reached[node] = 0;
    frontier[node] = 1;
    lengths[node] = length;
    *any = 1;
}

/* The whole search on the device. */
static void search(const struct run *run, int *host_lengths)
{
    const size_t count = (size_t)run->node_count, edges = (size_t)run->edge_count;
    const int blocks = blocks_for(run->node_count, BLOCK);
    const device_array<struct node> nodes(run->nodes, count);
    const device_array<int> targets(run->targets, edges);
    const device_array<int> lengths(count);
    const device_array<unsigned char> frontier(count);
    const device_array<unsigned char> reached(count);
    device_array<int> device_any(1);
    int any = 1;

    device_launch("begin", [&] {
        begin<<<blocks, BLOCK>>>(run->node_count, run->source, lengths, frontier, reached);
    });
    for (int length = 1; any; length++) {
        device_any.clear();
        device_launch("expand", [&] {
            expand<<<blocks, BLOCK>>>(run->node_count, nodes, targets, lengths, frontier, reached);
        });
        device_launch("settle", [&] {
            settle<<<blocks, BLOCK>>>(run->node_count, length, lengths, frontier, reached,
                                      device_any);
        });
        device_any.download(&any);
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
