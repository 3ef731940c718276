/*
 * BFS: the shortest paths from one node of a graph, breadth first. The OpenACC form: all nodes of
 * the same distance at a time.
 *
 * usage: bfs (--graph FILE | --generate NODES SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "graph.h"

/* Only the source is known, and at the frontier. */
static void begin(int node_count, int source, int *restrict lengths,
                  unsigned char *restrict frontier, unsigned char *restrict reached)
{
    #pragma acc parallel loop present(lengths, frontier, reached)
    for (int node = 0; node < node_count; node++) {
        lengths[node] = node == source ? 0 : -1;
        frontier[node] = node == source;
        reached[node] = 0;
    }
}

/*
 * Marks the new nodes that edges reach from the frontier, which is left. Several edges may reach
 * one node: all of them mark it alike.
 */
static void expand(int node_count, const struct node *restrict nodes, const int *restrict targets,
                   const int *restrict lengths, unsigned char *restrict frontier,
                   unsigned char *restrict reached)
{
    #pragma acc parallel loop present(nodes, targets, lengths, frontier, reached)
    for (int node = 0; node < node_count; node++) {
        if (frontier[node]) {
            frontier[node] = 0;
            const struct node from = nodes[node];
            for (int edge = from.first; edge < from.first + from.edges; edge++) {
                const int target = targets[edge];
                if (lengths[target] < 0)
                    reached[target] = 1;
            }
        }
    }
}

/* The marked nodes are `length` edges away and the next frontier. Returns whether there are any. */
static int settle(int node_count, int length, int *restrict lengths,
                  unsigned char *restrict frontier, unsigned char *restrict reached)
{
    int any = 0;

    #pragma acc parallel loop present(lengths, frontier, reached) reduction(|| : any)
    for (int node = 0; node < node_count; node++) {
        if (reached[node]) {
            reached[node] = 0;
            frontier[node] = 1;
            lengths[node] = length;
            any = 1;
        }
    }
    return any;
}

/* The whole search on the device, where the masks `frontier` and `reached` stay. */
static void search(int node_count, int edge_count, int source, const struct node *nodes,
                   const int *targets, int *lengths, unsigned char *frontier,
                   unsigned char *reached)
{
    #pragma acc data copyin(nodes[0:node_count], targets[0:edge_count]) \
                     copyout(lengths[0:node_count]) \
                     create(frontier[0:node_count], reached[0:node_count])
    {
        begin(node_count, source, lengths, frontier, reached);
        int any = 1;
        for (int length = 1; any; length++) {
            expand(node_count, nodes, targets, lengths, frontier, reached);
            any = settle(node_count, length, lengths, frontier, reached);
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const size_t nodes = (size_t)run.node_count;
    int *lengths = (int *)allocate(nodes, sizeof *lengths);
    unsigned char *frontier = (unsigned char *)allocate(nodes, 1);
    unsigned char *reached = (unsigned char *)allocate(nodes, 1);
    const double start = clock_seconds();
    search(run.node_count, run.edge_count, run.source, run.nodes, run.targets, lengths, frontier,
           reached);
    run_finish(&run, lengths, clock_seconds() - start);
    free(lengths);
    free(frontier);
    free(reached);
    return 0;
}
