/*
 * How streamcluster chooses centres, as far as the host does it: shared by all forms.
 *
 * A search begins with centres chosen at random, each the likelier the more its point costs, and
 * tries candidates: one that saves more than its price becomes a centre, and centres that save less
 * than theirs, since their points could go to the new one, are closed. What that gains is the
 * work of the forms.
 */
#ifndef BENCHMARKS_STREAMCLUSTER_SEARCH_H
#define BENCHMARKS_STREAMCLUSTER_SEARCH_H

#include "stream.h"

#define TRIES 3        /* candidates of a round: times the most centres and their bits */
#define MOST_ROUNDS 40 /* at one price */
#define PRECISION 0.1  /* part of the cost that a round has to gain for another one */
#define NARROW 0.999   /* a search ends where the bounds of the price are so near */

/* Points of which centres are chosen. */
struct chunk {
    int count, dimensions;
    float *coordinates;    /* dimensions x count */
    float *weights;
    float *costs;          /* of each point, by the centre that it has */
    int *assigned;         /* of each point: the number of its centre */
    int centers;           /* how many there are */
    int *members;          /* of each centre: the point that it is */
    int *moves;            /* of each centre: its number after the change at hand */
    int last;              /* the number of the candidate then */
    double *losses;        /* of each centre: what its points cost more if it is closed */
    struct device *device; /* what a form keeps besides */
};

/*
 * What it gains to make the candidate a centre, at that price a centre; it becomes one if that is
 * more than nothing. Each form has its own.
 */
static double gain(struct chunk *chunk, int candidate, double price);

/* `chunk_rounds` where the device has what changes; each form has its own. */
static double improve(struct chunk *chunk, int tries, double price, double cost, uint64_t *seed);

/* What a point costs whose centre would be another. */
static inline float cost_between(int count, int dimensions, const float *coordinates, float weight,
                                 int point, int center)
{
    float distance = 0.0f;
    for (int d = 0; d < dimensions; d++) {
        const float *of_all = coordinates + (size_t)d * (size_t)count;
        const float apart = of_all[point] - of_all[center];
        distance += apart * apart;
    }
    return weight * distance;
}

/* A chunk of these points, of the weights given or of 1 each. */
static inline struct chunk chunk_of(int count, int dimensions, const float *values,
                                    const float *weights)
{
    struct chunk chunk;
    chunk.count = count;
    chunk.dimensions = dimensions;
    chunk.coordinates = grid_allocate((size_t)count * (size_t)dimensions);
    chunk.weights = grid_allocate((size_t)count);
    chunk.costs = grid_allocate((size_t)count);
    chunk.assigned = (int *)allocate((size_t)count, sizeof *chunk.assigned);
    chunk.centers = 0;
    chunk.members = (int *)allocate((size_t)count, sizeof *chunk.members);
    chunk.moves = (int *)allocate((size_t)count, sizeof *chunk.moves);
    chunk.losses = (double *)allocate((size_t)count, sizeof *chunk.losses);
    chunk.device = NULL;
    for (size_t i = 0; i < (size_t)count; i++) {
        chunk.weights[i] = weights == NULL ? 1.0f : weights[i];
        for (size_t d = 0; d < (size_t)dimensions; d++)
            chunk.coordinates[d * (size_t)count + i] = values[i * (size_t)dimensions + d];
    }
    return chunk;
}

static inline void chunk_free(struct chunk *chunk)
{
    free(chunk->coordinates);
    free(chunk->weights);
    free(chunk->costs);
    free(chunk->assigned);
    free(chunk->members);
    free(chunk->moves);
    free(chunk->losses);
}

/* The candidate becomes a centre of the points that cost less then; only the host's memory. */
static inline void chunk_open(struct chunk *chunk, int candidate)
{
    for (int i = 0; i < chunk->count; i++) {
        const float cost = cost_between(chunk->count, chunk->dimensions, chunk->coordinates,
                                        chunk->weights[i], i, candidate);
        if (chunk->centers == 0 || cost < chunk->costs[i]) {
            chunk->costs[i] = cost;
            chunk->assigned[i] = chunk->centers;
        }
    }
    chunk->members[chunk->centers++] = candidate;
}

/*
 * What a candidate gains that saves so much by the points that go to it: centres whose losses are
 * less than the price are closed, and have the number of the candidate, which is the last.
 */
static inline double chunk_decide(struct chunk *chunk, double price, double saved)
{
    double gained = saved - price;
    int left = 0;
    for (int c = 0; c < chunk->centers; c++) {
        const int closed = chunk->losses[c] < price;
        if (closed)
            gained += price - chunk->losses[c];
        chunk->moves[c] = closed ? -1 : left++;
    }
    for (int c = 0; c < chunk->centers; c++) {
        if (chunk->moves[c] < 0)
            chunk->moves[c] = left;
    }
    chunk->last = left;
    return gained;
}

/* The list of centres as `moves` has it, with the candidate as the last. */
static inline void chunk_renumber(struct chunk *chunk, int candidate)
{
    const int last = chunk->last;
    for (int c = 0; c < chunk->centers; c++) {
        if (chunk->moves[c] != last)
            chunk->members[chunk->moves[c]] = chunk->members[c];
    }
    chunk->members[last] = candidate;
    chunk->centers = last + 1;
}

/* Tries candidates as long as a round of them gains enough of the cost. Returns what is left of it. */
static inline double chunk_rounds(struct chunk *chunk, int tries, double price, double cost,
                                  uint64_t *seed)
{
    double gained = cost;
    for (int round = 0; round < MOST_ROUNDS && gained > PRECISION * cost; round++) {
        gained = 0.0;
        for (int i = 0; i < tries; i++)
            gained += gain(chunk, (int)(random_bits(seed) % (uint64_t)chunk->count), price);
        cost -= gained;
    }
    return cost;
}

/*
 * Chooses the centres of a chunk, at a price at which there are as many as are asked for. Returns
 * what they cost.
 */
static inline double chunk_search(struct chunk *chunk, const struct run *run, uint64_t *seed)
{
    int tries = TRIES * run->most;
    for (int most = run->most; most > 2; most /= 2)
        tries += TRIES * run->most;
    if (chunk->count <= run->most) {
        for (int i = 0; i < chunk->count; i++) {
            chunk->assigned[i] = i;
            chunk->members[i] = i;
        }
        chunk->centers = chunk->count;
        return 0.0;
    }
    double low = 0.0, high = 0.0, cost = 0.0;
    chunk_open(chunk, 0);
    for (int i = 0; i < chunk->count; i++)
        high += chunk->costs[i];
    double price = high / 2.0;
    for (int i = 1; i < chunk->count; i++) {
        if (random_float(seed) * price < chunk->costs[i])
            chunk_open(chunk, i);
    }
    for (int i = 0; i < chunk->count; i++)
        cost += chunk->costs[i];
    cost += price * chunk->centers;
    for (;;) {
        cost = improve(chunk, tries, price, cost, seed);
        if (chunk->centers > run->most)
            low = price;
        else if (chunk->centers < run->fewest)
            high = price;
        else
            break;
        if (low >= NARROW * high)
            break;
        cost += ((low + high) / 2.0 - price) * chunk->centers;
        price = (low + high) / 2.0;
    }
    return cost;
}

/* The centres of all chunks so far: their coordinates, one point after the other, and weights. */
struct centers {
    int count, room;
    float *values, *weights;
    double cost; /* of the searches */
};

/* Adds those of a chunk, which cost so much, each with the weights of its points. */
static inline void centers_add(struct centers *all, const struct chunk *chunk, double cost)
{
    const size_t dimensions = (size_t)chunk->dimensions, count = (size_t)chunk->count;
    if (all->count + chunk->centers > all->room) {
        all->room = 2 * (all->count + chunk->centers);
        all->values = (float *)realloc(all->values, (size_t)all->room * dimensions * sizeof(float));
        all->weights = (float *)realloc(all->weights, (size_t)all->room * sizeof(float));
        if (all->values == NULL || all->weights == NULL)
            fail("no memory for %d centres", all->room);
    }
    float *values = all->values + (size_t)all->count * dimensions;
    float *weights = all->weights + all->count;
    for (size_t c = 0; c < (size_t)chunk->centers; c++) {
        for (size_t d = 0; d < dimensions; d++)
            values[c * dimensions + d] = chunk->coordinates[d * count + (size_t)chunk->members[c]];
        weights[c] = 0.0f;
    }
    for (size_t i = 0; i < count; i++)
        weights[chunk->assigned[i]] += chunk->weights[i];
    all->count += chunk->centers;
    all->cost += cost;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, struct centers *all, struct centers *result,
                              double seconds)
{
    const size_t count = (size_t)result->count, dimensions = (size_t)run->dimensions;
    const double costs[2] = {all->cost, result->cost};
    printf("streamcluster %d points, %d dimensions, %d centres: checksum %016llx\n", run->points,
           run->dimensions, result->count,
           checksum(result->values, count * dimensions, sizeof(float)) ^
               checksum(result->weights, count, sizeof(float)) << 1 ^
               checksum(costs, 2, sizeof(double)) << 2);
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        fprintf(file, "%.17g\n%.17g\n", costs[0], costs[1]);
        grid_print(file, result->weights, count);
        grid_print(file, result->values, count * dimensions);
        output_close(file, run->output);
    }
    free(all->values);
    free(all->weights);
    free(result->values);
    free(result->weights);
    free(run->values);
}

#endif
