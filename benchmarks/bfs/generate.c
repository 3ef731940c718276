/*
 * Writes the graph that `bfs --generate NODES SEED` makes up, in the format of the Rodinia suite.
 *
 * usage: generate NODES SEED GRAPH
 */
#include "graph.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("usage: %s NODES SEED GRAPH", argv[0]);
    char generate[] = "--generate";
    char *arguments[] = {argv[0], generate, argv[1], argv[2]};
    struct run run = run_arguments(4, arguments);
    FILE *file = output_open(argv[3]);
    fprintf(file, "%d\n", run.node_count);
    for (int i = 0; i < run.node_count; i++)
        fprintf(file, "%d %d\n", run.nodes[i].first, run.nodes[i].edges);
    fprintf(file, "\n%d\n\n%d\n", run.source, run.edge_count);
    for (int i = 0; i < run.edge_count; i++)
        fprintf(file, "%d 1\n", run.targets[i]);
    output_close(file, argv[3]);
    free(run.nodes);
    free(run.targets);
    return 0;
}
