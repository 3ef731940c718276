/*
 * The graph that bfs searches, and the input of a run: shared by all forms.
 *
 * As in the Rodinia suite a node has a run of edges in one array of targets; edges have a direction
 * and, in the files, a weight that the search does not ask for. The result is, for each node, the
 * number of edges on a shortest path to it from the source; -1 where there is no path.
 */
#ifndef BENCHMARKS_BFS_GRAPH_H
#define BENCHMARKS_BFS_GRAPH_H

#include <limits.h>

#include "../common/program.h"

struct node {
    int first; /* of its edges */
    int edges; /* how many */
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int node_count, edge_count, source;
    struct node *nodes;
    int *targets;       /* of the edges */
    const char *output; /* file for the lengths of the paths; NULL: none is asked for */
};

/* The next number of a file's text, from `low` to `high`; `what` says which one it is. */
static inline int graph_number(const char *path, char **at, long low, long high, const char *what)
{
    char *end;
    errno = 0;
    const long value = strtol(*at, &end, 10);
    if (end == *at || errno != 0 || value < low || value > high)
        fail("%s: %s: a number from %ld to %ld expected", path, what, low, high);
    *at = end;
    return (int)value;
}

/*
 * Reads Rodinia's format: the number of nodes, for each of them its first edge and how many it has,
 * the source, the number of edges, for each of them its target and its weight.
 */
static inline void graph_read(struct run *run, const char *path)
{
    char *text = text_read(path), *at = text;
    run->node_count = graph_number(path, &at, 1, INT_MAX, "nodes");
    run->nodes = (struct node *)allocate((size_t)run->node_count, sizeof *run->nodes);
    for (int i = 0; i < run->node_count; i++) {
        run->nodes[i].first = graph_number(path, &at, 0, INT_MAX, "first edge");
        run->nodes[i].edges = graph_number(path, &at, 0, INT_MAX, "edges of a node");
    }
    run->source = graph_number(path, &at, 0, run->node_count - 1, "source");
    run->edge_count = graph_number(path, &at, 0, INT_MAX, "edges");
    for (int i = 0; i < run->node_count; i++) {
        if (run->nodes[i].first > run->edge_count - run->nodes[i].edges)
            fail("%s: the edges of node %d are not there", path, i);
    }
    run->targets = (int *)allocate((size_t)run->edge_count + 1, sizeof *run->targets);
    for (int i = 0; i < run->edge_count; i++) {
        run->targets[i] = graph_number(path, &at, 0, run->node_count - 1, "target");
        graph_number(path, &at, LONG_MIN, LONG_MAX, "weight");
    }
    if (at[strspn(at, " \t\r\n")] != '\0')
        fail("%s: more than the %d edges expected", path, run->edge_count);
    free(text);
}

/* A graph made up from a seed: each node has one to seven edges, to any nodes. */
static inline void graph_generate(struct run *run, int node_count, uint64_t seed)
{
    run->node_count = node_count;
    run->nodes = (struct node *)allocate((size_t)node_count, sizeof *run->nodes);
    run->edge_count = 0;
    for (int i = 0; i < node_count; i++) {
        run->nodes[i].first = run->edge_count;
        run->nodes[i].edges = 1 + (int)(random_bits(&seed) % 7);
        run->edge_count += run->nodes[i].edges;
    }
    run->targets = (int *)allocate((size_t)run->edge_count + 1, sizeof *run->targets);
    for (int i = 0; i < run->edge_count; i++)
        run->targets[i] = (int)(random_bits(&seed) % (uint64_t)node_count);
    run->source = (int)(random_bits(&seed) % (uint64_t)node_count);
}

/* (--graph FILE | --generate NODES SEED) [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    const int read = argc > 1 && strcmp(argv[1], "--graph") == 0;
    const int generate = argc > 1 && strcmp(argv[1], "--generate") == 0;
    const int given = read ? 3 : 4;
    if ((!read && !generate) || (argc != given && argc != given + 1))
        fail("usage: %s (--graph FILE | --generate NODES SEED) [OUTPUT]", argv[0]);
    struct run run;
    if (read) {
        graph_read(&run, argv[2]);
    } else {
        const int nodes = number_argument(argv[2], 1, 1 << 27, "nodes");
        graph_generate(&run, nodes, (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed"));
    }
    run.output = argc > given ? argv[given] : NULL;
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the graph. */
static inline void run_finish(const struct run *run, const int *lengths, double seconds)
{
    printf("bfs %d nodes, %d edges: checksum %016llx\n", run->node_count, run->edge_count,
           checksum(lengths, (size_t)run->node_count, sizeof *lengths));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (int i = 0; i < run->node_count; i++)
            fprintf(file, "%d\n", lengths[i]);
        output_close(file, run->output);
    }
    free(run->nodes);
    free(run->targets);
}

#endif
