/*
 * Streamcluster: groups a stream of points around centres that cost little. The serial form.
 *
 * usage: streamcluster_serial DIMENSIONS FEWEST MOST CHUNK SEED
 *                             (--points FILE | --generate POINTS) [OUTPUT]
 */
#include "../common/clock.h"

#include "search.h"

static double gain(struct chunk *chunk, int candidate, double price)
{
    double saved = 0.0;
    for (int c = 0; c < chunk->centers; c++)
        chunk->losses[c] = 0.0;
    for (int i = 0; i < chunk->count; i++) {
        const float cost = cost_between(chunk->count, chunk->dimensions, chunk->coordinates,
                                        chunk->weights[i], i, candidate);
        if (cost < chunk->costs[i])
            saved += chunk->costs[i] - cost;
        else
            chunk->losses[chunk->assigned[i]] += cost - chunk->costs[i];
    }
    const double gained = chunk_decide(chunk, price, saved);
    if (gained <= 0.0)
        return 0.0;
    for (int i = 0; i < chunk->count; i++) {
        const float cost = cost_between(chunk->count, chunk->dimensions, chunk->coordinates,
                                        chunk->weights[i], i, candidate);
        const int moved = cost < chunk->costs[i] ? chunk->last : chunk->moves[chunk->assigned[i]];
        if (moved == chunk->last)
            chunk->costs[i] = cost;
        chunk->assigned[i] = moved;
    }
    chunk_renumber(chunk, candidate);
    return gained;
}

static double improve(struct chunk *chunk, int tries, double price, double cost, uint64_t *seed)
{
    return chunk_rounds(chunk, tries, price, cost, seed);
}

/* Adds the centres of these points. */
static void cluster(const struct run *run, int count, const float *values, const float *weights,
                    uint64_t *seed, struct centers *all)
{
    struct chunk chunk = chunk_of(count, run->dimensions, values, weights);
    centers_add(all, &chunk, chunk_search(&chunk, run, seed));
    chunk_free(&chunk);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    uint64_t seed = run.seed;
    struct centers all = {0, 0, NULL, NULL, 0.0}, result = all;
    const double start = clock_seconds();
    for (int first = 0; first < run.points; first += run.chunk) {
        const int left = run.points - first;
        cluster(&run, left < run.chunk ? left : run.chunk,
                run.values + (size_t)first * (size_t)run.dimensions, NULL, &seed, &all);
    }
    cluster(&run, all.count, all.values, all.weights, &seed, &result);
    run_finish(&run, &all, &result, clock_seconds() - start);
    return 0;
}
