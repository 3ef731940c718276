/*
 * NN: the records nearest to a place. The serial form: a sorted list of the nearest so far.
 *
 * usage: nn_serial NEAREST LATITUDE LONGITUDE (--records FILE | --generate COUNT SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "records.h"

/* The nearest `wanted` records, the nearest first. */
static void find(const struct run *run, struct neighbour *nearest)
{
    int known = 0;
    for (int i = 0; i < run->count; i++) {
        const float distance = distance_between(run->places[i], run->target);
        int at = known;
        while (at > 0 && distance < nearest[at - 1].distance) {
            if (at < run->wanted)
                nearest[at] = nearest[at - 1];
            at--;
        }
        if (at < run->wanted) {
            nearest[at].record = i;
            nearest[at].distance = distance;
        }
        if (known < run->wanted)
            known++;
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    struct neighbour *nearest =
        (struct neighbour *)allocate((size_t)run.wanted, sizeof *nearest);
    const double start = clock_seconds();
    find(&run, nearest);
    run_finish(&run, nearest, clock_seconds() - start);
    free(nearest);
    return 0;
}
