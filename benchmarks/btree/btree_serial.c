/*
 * B+ tree: the records of keys, and of ranges of keys. The serial form: from the root down.
 *
 * usage: btree_serial QUERIES RANGES SEED (--keys FILE | --generate KEYS) [OUTPUT]
 */
#include "../common/clock.h"

#include "tree.h"

/* How many keys of the node are at most that one. */
static int keys_up_to(const struct tree *tree, int node, int key)
{
    int below = 0;
    while (below < ORDER && tree->keys[node][below] <= key)
        below++;
    return below;
}

/* The leaf where a key is, if it is anywhere. */
static int leaf_of(const struct tree *tree, int key)
{
    int node = tree->nodes - 1;
    for (int level = 1; level < tree->height; level++) {
        const int below = keys_up_to(tree, node, key);
        node = tree->children[node][below > 0 ? below - 1 : 0];
    }
    return node;
}

/* The record of a key; -1: there is none. */
static int find(const struct tree *tree, int key)
{
    const int leaf = leaf_of(tree, key), below = keys_up_to(tree, leaf, key);
    return below > 0 && tree->keys[leaf][below - 1] == key ? tree->children[leaf][below - 1] : -1;
}

/* How many keys of the tree are less than that one. */
static int rank_of(const struct tree *tree, int key)
{
    const int leaf = leaf_of(tree, key - 1);
    return leaf * ORDER + keys_up_to(tree, leaf, key - 1);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    for (int i = 0; i < run.queries; i++)
        run.found[i] = find(&run.tree, run.wanted[i]);
    for (int i = 0; i < run.ranges; i++) {
        run.ranks[i][0] = rank_of(&run.tree, run.bounds[i][0]);
        run.ranks[i][1] = rank_of(&run.tree, run.bounds[i][1]);
    }
    run_finish(&run, clock_seconds() - start);
    return 0;
}
