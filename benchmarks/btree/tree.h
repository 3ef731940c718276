/*
 * The tree that btree searches, what is asked of it, and the input of a run: shared by all forms.
 *
 * The task is that of the Rodinia suite (b+tree): records by their keys, in a tree whose nodes have up
 * to ORDER keys; leaves have records, inner nodes the least key below each child. One question is
 * for the record of a key, the other for the records of all keys from one to another.
 *
 * The tree is made at once from the sorted keys: all leaves but the last are full, and leaf i is
 * node i, so that records lie in the order of keys. The root is the last node.
 */
#ifndef BENCHMARKS_BTREE_TREE_H
#define BENCHMARKS_BTREE_TREE_H

#include <limits.h>

#include "../common/program.h"

#ifndef ORDER
#define ORDER 64 /* keys of a node, and threads of a block */
#endif
#if ORDER < 2 || ORDER > 1024
#error "a node has 2 keys at least, and a block one thread a key, 1024 at most"
#endif

#define MOST_KEYS (1 << 26)
#define NO_KEY INT_MAX /* behind the keys of a node */

struct tree {
    int nodes, height;      /* levels of nodes */
    int (*keys)[ORDER];     /* of each node, from the least on */
    int (*children)[ORDER]; /* of an inner node: nodes; of a leaf: records */
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int records, queries, ranges;
    struct tree tree;
    int *wanted;        /* the keys that are asked for */
    int (*bounds)[2];   /* of each range: its first key, and the first behind it */
    int *found;         /* of each key its record; -1: there is none */
    int (*ranks)[2];    /* of each range: how many keys are before its bounds */
    const char *output; /* file for these; NULL: none is asked for */
};

struct record {
    int key, number;
};

static inline int record_order(const void *left, const void *right)
{
    const struct record *a = (const struct record *)left, *b = (const struct record *)right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* The next number of a file's text, from `low` to `high`; `what` says which one it is. */
static inline int tree_number(const char *path, char **at, long low, long high, const char *what)
{
    char *end;
    errno = 0;
    const long value = strtol(*at, &end, 10);
    if (end == *at || errno != 0 || value < low || value > high)
        fail("%s: %s: a number from %ld to %ld expected", path, what, low, high);
    *at = end;
    return (int)value;
}

/* Reads Rodinia's format: how many keys, and the keys. Their numbers are those of their records. */
static inline struct record *records_read(struct run *run, const char *path)
{
    char *text = text_read(path), *at = text;
    run->records = tree_number(path, &at, 1, MOST_KEYS, "keys");
    struct record *records = (struct record *)allocate((size_t)run->records, sizeof *records);
    for (int i = 0; i < run->records; i++) {
        records[i].key = tree_number(path, &at, 0, NO_KEY - 1, "key");
        records[i].number = i;
    }
    if (at[strspn(at, " \t\r\n")] != '\0')
        fail("%s: more than the %d keys expected", path, run->records);
    free(text);
    return records;
}

/* Records made up from a seed: keys that are all different, in any order. */
static inline struct record *records_generate(const struct run *run, uint64_t *seed)
{
    struct record *records = (struct record *)allocate((size_t)run->records, sizeof *records);
    for (int i = 0; i < run->records; i++)
        records[i].key = 8 * i + (int)(random_bits(seed) % 8);
    for (int i = 0; i < run->records; i++) {
        const int other = (int)(random_bits(seed) % (uint64_t)(i + 1));
        const int swap = records[i].key;
        records[i].key = records[other].key;
        records[other].key = swap;
        records[i].number = i;
    }
    return records;
}

/* The tree of sorted records. */
static inline struct tree tree_of(int count, const struct record *records)
{
    struct tree tree;
    size_t nodes = 0;
    for (int level = (count + ORDER - 1) / ORDER;; level = (level + ORDER - 1) / ORDER) {
        nodes += (size_t)level;
        if (level == 1)
            break;
    }
    tree.nodes = (int)nodes;
    tree.height = 0;
    tree.keys = (int (*)[ORDER])allocate(nodes, sizeof *tree.keys);
    tree.children = (int (*)[ORDER])allocate(nodes, sizeof *tree.children);
    int below = 0, first = 0; /* the nodes of the level below, and of this one, begin there */
    for (int members = count;; tree.height++) {
        const int level = (members + ORDER - 1) / ORDER;
        for (int i = 0; i < level * ORDER; i++) {
            int key = NO_KEY, child = -1;
            if (i < members && tree.height == 0) {
                key = records[i].key;
                child = records[i].number;
            } else if (i < members) {
                child = below + i;
                key = tree.keys[child][0];
            }
            tree.keys[first + i / ORDER][i % ORDER] = key;
            tree.children[first + i / ORDER][i % ORDER] = child;
        }
        below = first;
        first += level;
        members = level;
        if (level == 1)
            break;
    }
    tree.height++;
    return tree;
}

/* QUERIES RANGES SEED (--keys FILE | --generate KEYS) [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    const int read = argc > 4 && strcmp(argv[4], "--keys") == 0;
    const int generate = argc > 4 && strcmp(argv[4], "--generate") == 0;
    if ((!read && !generate) || (argc != 6 && argc != 7))
        fail("usage: %s QUERIES RANGES SEED (--keys FILE | --generate KEYS) [OUTPUT]", argv[0]);
    struct run run;
    run.queries = number_argument(argv[1], 0, MOST_KEYS, "queries");
    run.ranges = number_argument(argv[2], 0, MOST_KEYS, "ranges");
    uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
    run.output = argc == 7 ? argv[6] : NULL;
    if (generate)
        run.records = number_argument(argv[5], 1, MOST_KEYS, "keys");
    else
        run.records = 0;
    uint64_t of_keys = seed;
    struct record *records =
        generate ? records_generate(&run, &of_keys) : records_read(&run, argv[5]);

    qsort(records, (size_t)run.records, sizeof *records, record_order);
    int count = 1;
    for (int i = 1; i < run.records; i++) {
        if (records[i].key != records[count - 1].key) /* the first of equals */
            records[count++] = records[i];
    }
    run.records = count;
    run.tree = tree_of(count, records);

    const uint64_t span = (uint64_t)records[count - 1].key + 1;
    const size_t queries = (size_t)run.queries, ranges = (size_t)run.ranges;
    run.wanted = (int *)allocate(queries + 1, sizeof *run.wanted);
    run.found = (int *)allocate(queries + 1, sizeof *run.found);
    run.bounds = (int (*)[2])allocate(ranges + 1, sizeof *run.bounds);
    run.ranks = (int (*)[2])allocate(ranges + 1, sizeof *run.ranks);
    seed = ~seed;
    for (size_t i = 0; i < queries; i++) { /* one of four may have no record */
        if (random_bits(&seed) % 4 == 0)
            run.wanted[i] = (int)(random_bits(&seed) % span);
        else
            run.wanted[i] = records[random_bits(&seed) % (uint64_t)count].key;
    }
    for (size_t i = 0; i < ranges; i++) {
        const int one = (int)(random_bits(&seed) % (span + 1));
        const int other = (int)(random_bits(&seed) % (span + 1));
        run.bounds[i][0] = one < other ? one : other;
        run.bounds[i][1] = one < other ? other : one;
    }
    free(records);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t queries = (size_t)run->queries, ranges = (size_t)run->ranges;
    printf("btree %d keys, %d queries, %d ranges: checksum %016llx\n", run->records, run->queries,
           run->ranges,
           checksum(run->found, queries, sizeof *run->found) ^
               checksum(run->ranks, ranges, sizeof *run->ranks) << 1);
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (size_t i = 0; i < queries; i++)
            fprintf(file, "%d\n", run->found[i]);
        for (size_t i = 0; i < ranges; i++)
            fprintf(file, "%d %d\n", run->ranks[i][0], run->ranks[i][1]);
        output_close(file, run->output);
    }
    free(run->tree.keys);
    free(run->tree.children);
    free(run->wanted);
    free(run->found);
    free(run->bounds);
    free(run->ranks);
}

#endif
