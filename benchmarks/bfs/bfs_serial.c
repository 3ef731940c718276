/*
 * BFS: the shortest paths from one node of a graph, breadth first. The serial form: by a queue.
 *
 * usage: bfs_serial (--graph FILE | --generate NODES SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "graph.h"

/* The lengths of the shortest paths; `queue` has room for all nodes. */
static void search(const struct run *run, int *lengths, int *queue)
{
    for (int node = 0; node < run->node_count; node++)
        lengths[node] = -1;
    lengths[run->source] = 0;
    queue[0] = run->source;
    int head = 0, tail = 1;
    while (head < tail) {
        const int node = queue[head++];
        const struct node from = run->nodes[node];
        for (int edge = from.first; edge < from.first + from.edges; edge++) {
            const int target = run->targets[edge];
            if (lengths[target] < 0) {
                lengths[target] = lengths[node] + 1;
                queue[tail++] = target;
            }
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    int *lengths = (int *)allocate((size_t)run.node_count, sizeof *lengths);
    int *queue = (int *)allocate((size_t)run.node_count, sizeof *queue);
    const double start = clock_seconds();
    search(&run, lengths, queue);
    run_finish(&run, lengths, clock_seconds() - start);
    free(lengths);
    free(queue);
    return 0;
}
