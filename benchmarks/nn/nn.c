/*
 * NN: the records nearest to a place. The OpenACC form: all distances, then the least of them again
 * and again.
 *
 * usage: nn NEAREST LATITUDE LONGITUDE (--records FILE | --generate COUNT SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "records.h"

/* How far each place is. */
static void measure(int count, const struct place *restrict places, struct place target,
                    float *restrict distances)
{
    #pragma acc parallel loop present(places, distances)
    for (int i = 0; i < count; i++)
        distances[i] = distance_between(places[i], target);
}

/* Whether a record at `distance` comes after `last` in the order of distances, then of records. */
static inline int is_after(struct neighbour last, int record, float distance)
{
    return distance > last.distance || (distance == last.distance && record > last.record);
}

/* The next neighbour after `last`. */
static struct neighbour next_after(struct neighbour last, int count,
                                   const float *restrict distances)
{
    float least = INFINITY;
    #pragma acc parallel loop present(distances) reduction(min : least)
    for (int i = 0; i < count; i++) {
        if (is_after(last, i, distances[i]))
            least = fminf(least, distances[i]);
    }

    int first = count;
    #pragma acc parallel loop present(distances) reduction(min : first)
    for (int i = 0; i < count; i++) {
        if (distances[i] == least && is_after(last, i, least))
            first = i < first ? i : first;
    }
    const struct neighbour next = {first, least};
    return next;
}

/* The nearest `wanted` records, the nearest first; the distances stay on the device. */
static void find(int count, const struct place *places, struct place target, float *distances,
                 int wanted, struct neighbour *nearest)
{
    #pragma acc data copyin(places[0:count]) create(distances[0:count])
    {
        measure(count, places, target, distances);
        struct neighbour last = {-1, -1.0f};
        for (int i = 0; i < wanted; i++) {
            last = next_after(last, count, distances);
            nearest[i] = last;
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    float *distances = (float *)allocate((size_t)run.count, sizeof *distances);
    struct neighbour *nearest =
        (struct neighbour *)allocate((size_t)run.wanted, sizeof *nearest);
    const double start = clock_seconds();
    find(run.count, run.places, run.target, distances, run.wanted, nearest);
    run_finish(&run, nearest, clock_seconds() - start);
    free(distances);
    free(nearest);
    return 0;
}
