/*
 * B+ tree: the records of keys, and of ranges of keys. The OpenACC form: a gang goes down the tree for
 * each key, its vector lanes compare the keys of a node.
 *
 * usage: btree QUERIES RANGES SEED (--keys FILE | --generate KEYS) [OUTPUT]
 */
#include "../common/clock.h"

#include "tree.h"

/* The records of keys; -1: there is none. */
static void find(int queries, int nodes, int height, const int (*restrict keys)[ORDER],
                 const int (*restrict children)[ORDER], const int *restrict wanted,
                 int *restrict found)
{
    #pragma acc parallel loop gang vector_length(ORDER) present(keys, children, wanted, found)
    for (int i = 0; i < queries; i++) {
        const int key = wanted[i];
        int node = nodes - 1, below = 0;
        for (int level = 0; level < height; level++) {
            if (level > 0)
                node = children[node][below > 0 ? below - 1 : 0];
            below = 0;
            #pragma acc loop vector reduction(+ : below)
            for (int k = 0; k < ORDER; k++)
                below += keys[node][k] <= key;
        }
        found[i] = below > 0 && keys[node][below - 1] == key ? children[node][below - 1] : -1;
    }
}

/* How many keys of the tree are before the bounds of ranges. */
static void find_ranges(int ranges, int nodes, int height, const int (*restrict keys)[ORDER],
                        const int (*restrict children)[ORDER], const int (*restrict bounds)[2],
                        int (*restrict ranks)[2])
{
    #pragma acc parallel loop gang vector_length(ORDER) present(keys, children, bounds, ranks)
    for (int i = 0; i < ranges; i++) {
        for (int side = 0; side < 2; side++) {
            const int key = bounds[i][side];
            int node = nodes - 1, below = 0;
            for (int level = 0; level < height; level++) {
                if (level > 0)
                    node = children[node][below > 0 ? below - 1 : 0];
                below = 0;
                #pragma acc loop vector reduction(+ : below)
                for (int k = 0; k < ORDER; k++)
                    below += keys[node][k] < key;
            }
            ranks[i][side] = node * ORDER + below;
        }
    }
}

/* All questions on the device, where the tree is. */
static void answer(const struct run *run)
{
    const int queries = run->queries, ranges = run->ranges;
    const int nodes = run->tree.nodes, height = run->tree.height;
    const int (*keys)[ORDER] = (const int (*)[ORDER])run->tree.keys;
    const int (*children)[ORDER] = (const int (*)[ORDER])run->tree.children;
    const int *wanted = run->wanted;
    const int (*bounds)[2] = (const int (*)[2])run->bounds;
    int *found = run->found;
    int (*ranks)[2] = run->ranks;

    #pragma acc data copyin(keys[0:nodes][0:ORDER], children[0:nodes][0:ORDER]) \
                     copyin(wanted[0:queries], bounds[0:ranges][0:2]) \
                     copyout(found[0:queries], ranks[0:ranges][0:2])
    {
        find(queries, nodes, height, keys, children, wanted, found);
        find_ranges(ranges, nodes, height, keys, children, bounds, ranks);
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    answer(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
