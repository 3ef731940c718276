/*
 * B+ tree: the records of keys, and of ranges of keys. The fcw form, as Rodinia's.
 *
 * A block goes down the tree for each key. One of its threads finds between which keys of a node that
 * one is, and tells the others the child in shared memory.
 *
 * usage: btree_fcw QUERIES RANGES SEED (--keys FILE | --generate KEYS) [OUTPUT]
 */
#include "../common/clock.h"

#include "tree.h"

/* Whether a key is that of a lane, or between it and the next one; those before are the first one's. */
ON_DEVICE static inline int is_place(const int *keys, int lane, int key)
{
    return (lane == 0 || keys[lane] <= key) && (lane == ORDER - 1 || key < keys[lane + 1]);
}

/* The records of keys; -1: there is none. */
static void find(int queries, int nodes, int height, const int (*restrict keys)[ORDER],
                 const int (*restrict children)[ORDER], const int *restrict wanted,
                 int *restrict found)
{
    int *restrict child = NULL; /* only a window of it exists */

    #pragma acc parallel loop gang vector_length(ORDER) present(keys, children, wanted, found)
    for (int i = 0; i < queries; i++) {
        #pragma acc loop vector
        for (int lane = 0; lane < ORDER; lane++) {
            const int key = wanted[i];

            #pragma acc fcw CHANNEL_ONLY(child[i:0:0]) explicit
            {
                int node = nodes - 1;
                for (int level = 1; level < height; level++) {
                    if (is_place(keys[node], lane, key))
                        child[i] = children[node][lane];
                    #pragma acc fcw_barrier
                    node = child[i];
                    #pragma acc fcw_barrier
                }
                if (is_place(keys[node], lane, key))
                    found[i] = keys[node][lane] == key ? children[node][lane] : -1;
            }
        }
    }
}

/* How many keys of the tree are before the bounds of ranges. */
static void find_ranges(int ranges, int nodes, int height, const int (*restrict keys)[ORDER],
                        const int (*restrict children)[ORDER], const int (*restrict bounds)[2],
                        int (*restrict ranks)[2])
{
    int *restrict child = NULL; /* only a window of it exists */

    #pragma acc parallel loop gang vector_length(ORDER) present(keys, children, bounds, ranks)
    for (int i = 0; i < ranges; i++) {
        #pragma acc loop vector
        for (int lane = 0; lane < ORDER; lane++) {
            #pragma acc fcw CHANNEL_ONLY(child[i:0:0]) explicit
            for (int side = 0; side < 2; side++) {
                const int last = bounds[i][side] - 1; /* the last key that is less */
                int node = nodes - 1;
                for (int level = 1; level < height; level++) {
                    if (is_place(keys[node], lane, last))
                        child[i] = children[node][lane];
                    #pragma acc fcw_barrier
                    node = child[i];
                    #pragma acc fcw_barrier
                }
                if (is_place(keys[node], lane, last))
                    ranks[i][side] = node * ORDER + lane + (keys[node][lane] <= last);
            }
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
