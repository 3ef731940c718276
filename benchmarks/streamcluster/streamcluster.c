/*
 * Streamcluster: groups a stream of points around centres that cost little. The OpenACC form: what
 * candidates gain, and what changes with one that becomes a centre, on the device.
 *
 * usage: streamcluster DIMENSIONS FEWEST MOST CHUNK SEED
 *                      (--points FILE | --generate POINTS) [OUTPUT]
 */
#include "../common/clock.h"

#include "search.h"

/* No centre has lost a point yet. */
static void clear(int centers, double *restrict losses)
{
    #pragma acc parallel loop present(losses)
    for (int c = 0; c < centers; c++)
        losses[c] = 0.0;
}

/*
 * Returns what the points save that cost less at the candidate. `losses` adds up, for each centre,
 * what its other points would cost more there.
 */
static double measure(int count, int dimensions, int candidate,
                      const float (*restrict coordinates)[count], const float *restrict weights,
                      const float *restrict costs, const int *restrict assigned,
                      double *restrict losses)
{
    double saved = 0.0;

    #pragma acc parallel loop present(coordinates, weights, costs, assigned, losses) \
                              reduction(+ : saved)
    for (int i = 0; i < count; i++) {
        float distance = 0.0f;
        for (int d = 0; d < dimensions; d++) {
            const float apart = coordinates[d][i] - coordinates[d][candidate];
            distance += apart * apart;
        }
        const float cost = weights[i] * distance;
        if (cost < costs[i]) {
            saved += costs[i] - cost;
        } else {
            #pragma acc atomic update
            losses[assigned[i]] += cost - costs[i];
        }
    }
    return saved;
}

/* The candidate becomes the centre `last`: of points that cost less there, and of closed centres'. */
static void assign(int count, int dimensions, int candidate, int last,
                   const float (*restrict coordinates)[count], const float *restrict weights,
                   const int *restrict moves, float *restrict costs, int *restrict assigned)
{
    #pragma acc parallel loop present(coordinates, weights, moves, costs, assigned)
    for (int i = 0; i < count; i++) {
        float distance = 0.0f;
        for (int d = 0; d < dimensions; d++) {
            const float apart = coordinates[d][i] - coordinates[d][candidate];
            distance += apart * apart;
        }
        const float cost = weights[i] * distance;
        const int moved = cost < costs[i] ? last : moves[assigned[i]];
        if (moved == last)
            costs[i] = cost;
        assigned[i] = moved;
    }
}

static double gain(struct chunk *chunk, int candidate, double price)
{
    const int count = chunk->count, dimensions = chunk->dimensions, centers = chunk->centers;
    const float (*coordinates)[count] = (const float (*)[count])chunk->coordinates;
    double *losses = chunk->losses;
    int *moves = chunk->moves;

    clear(centers, losses);
    const double saved = measure(count, dimensions, candidate, coordinates, chunk->weights,
                                 chunk->costs, chunk->assigned, losses);
    #pragma acc update self(losses[0:centers])
    const double gained = chunk_decide(chunk, price, saved);
    if (gained <= 0.0)
        return 0.0;
    #pragma acc update device(moves[0:centers])
    assign(count, dimensions, candidate, chunk->last, coordinates, chunk->weights, moves,
           chunk->costs, chunk->assigned);
    chunk_renumber(chunk, candidate);
    return gained;
}

static double improve(struct chunk *chunk, int tries, double price, double cost, uint64_t *seed)
{
    const int count = chunk->count;
    float *costs = chunk->costs;
    int *assigned = chunk->assigned;

    #pragma acc data copy(costs[0:count], assigned[0:count])
    cost = chunk_rounds(chunk, tries, price, cost, seed);
    return cost;
}

/* Adds the centres of these points, whose coordinates and weights stay on the device. */
static void cluster(const struct run *run, int count, const float *values, const float *weights,
                    uint64_t *seed, struct centers *all)
{
    struct chunk chunk = chunk_of(count, run->dimensions, values, weights);
    const float (*coordinates)[count] = (const float (*)[count])chunk.coordinates;
    const float *own_weights = chunk.weights;
    double *losses = chunk.losses;
    int *moves = chunk.moves;
    double cost;

    #pragma acc data copyin(coordinates[0:run->dimensions][0:count], own_weights[0:count]) \
                     create(losses[0:count], moves[0:count])
    cost = chunk_search(&chunk, run, seed);
    centers_add(all, &chunk, cost);
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
