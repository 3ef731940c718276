/*
 * Particle filter: finds an object in a noisy video. The fcw form.
 *
 * A block holds the offsets of the disk's pixels, and adds up the weights of its particles up to each
 * of them in its own memory. Prefix sums over blocks say what comes before; to draw a particle, a
 * thread finds the block first.
 *
 * usage: particlefilter_fcw ROWS COLUMNS FRAMES PARTICLES SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "video.h"

#ifndef TILE
#define TILE 128 /* particles of a block, and its threads */
#endif
#if TILE < 1 || TILE > 1024
#error "a block has one thread a particle, 1024 at most"
#endif

/*
 * The particles move into a frame. `logs` says of each how much the pixels around it look like the
 * object; those outside are background. Returns the most of them.
 */
static float move(int rows, int columns, int particles, int pixels,
                  const unsigned char (*restrict frame)[columns],
                  const struct offset *restrict offsets, struct place *restrict places,
                  unsigned *restrict states, float *restrict logs)
{
    float most = -INFINITY;

    #pragma acc parallel loop vector_length(TILE) reduction(max : most) \
                              present(frame, offsets, places, states, logs)
    for (int i = 0; i < particles; i++) {
        unsigned state = states[i];
        const struct place place = moved(places[i], rows, columns, &state);
        int sum = 0;
        #pragma acc fcw FETCH_ONLY(offsets[0:0:pixels - 1])
        for (int k = 0; k < pixels; k++) {
            const int row = (int)(place.row + 0.5f) + offsets[k].row;
            const int column = (int)(place.column + 0.5f) + offsets[k].column;
            const int inside = row >= 0 && row < rows && column >= 0 && column < columns;
            sum += evidence(inside ? frame[row][column] : BACKGROUND);
        }
        states[i] = state;
        places[i] = place;
        logs[i] = log_likelihood(sum, pixels);
        most = fmaxf(most, logs[i]);
    }
    return most;
}

/*
 * Weighs the particles: `sums` of each the weights of its block up to it, `totals` of each block.
 * Returns the weighted mean of all.
 */
static struct place weigh(int particles, float most, const struct place *restrict places,
                          const float *restrict logs, double *restrict sums,
                          double *restrict totals)
{
    const int tiles = (particles + TILE - 1) / TILE;
    double total = 0.0, row = 0.0, column = 0.0;

    #pragma acc kernels present(places, logs, sums, totals)
    #pragma acc loop independent vector(TILE) reduction(+ : total, row, column)
    for (int i = 0; i < tiles * TILE; i++) {
        const int lane = i % TILE;
        double weight = 0.0; /* of particles that there are */
        if (i < particles) {
            weight = weight_of(logs[i] - most);
            total += weight;
            row += weight * places[i].row;
            column += weight * places[i].column;
        }

        #pragma acc fcw CHANNEL_WB(sums[i:0:0])
        {
            sums[i] = weight;
            for (int reach = 1; reach < TILE; reach *= 2) {
                if (lane >= reach)
                    sums[i] += sums[i - reach];
            }
            if (lane == TILE - 1)
                totals[i / TILE] = sums[i];
        }
    }
    const struct place estimate = {(float)(row / total), (float)(column / total)};
    return estimate;
}

/* A step of the prefix sums: `to` adds up twice as many weights as `from`. */
static void add_before(int count, int reach, const double *restrict from, double *restrict to)
{
    #pragma acc parallel loop present(from, to)
    for (int i = 0; i < count; i++)
        to[i] = i >= reach ? from[i] + from[i - reach] : from[i];
}

/* The first of the values from `low` on that is more than the mark; that at `high` is the last. */
ON_DEVICE static inline int first_above(const double *values, int low, int high, double mark)
{
    while (low < high) {
        const int middle = (low + high) / 2;
        if (values[middle] <= mark)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Draws new particles from the old ones. `drawn` is by how much all are behind their even marks;
 * `totals` has the weights of all blocks up to the end of each.
 */
static void draw(int particles, float drawn, const double *restrict sums,
                 const double *restrict totals, const struct place *restrict from,
                 struct place *restrict to)
{
    const int tiles = (particles + TILE - 1) / TILE;

    #pragma acc parallel loop vector_length(TILE) present(sums, totals, from, to)
    for (int i = 0; i < particles; i++) {
        const double mark = ((double)i + drawn) * (totals[tiles - 1] / particles);
        const int tile = first_above(totals, 0, tiles - 1, mark);
        const double before = tile > 0 ? totals[tile - 1] : 0.0;
        const int end = tile < tiles - 1 ? (tile + 1) * TILE : particles;
        to[i] = from[first_above(sums, tile * TILE, end - 1, mark - before)];
    }
}

/*
 * All frames on the device. `other`, `logs` and `sums` have room for what the particles have,
 * `front` and `back` for that of blocks.
 */
static void follow(const struct run *run, struct place *other, float *logs, double *sums,
                   double *front, double *back)
{
    const int rows = run->rows, columns = run->columns, frames = run->frames;
    const int particles = run->particles, pixels = run->pixels;
    const int tiles = (particles + TILE - 1) / TILE;
    const unsigned char (*video)[columns] = (const unsigned char (*)[columns])run->video;
    const struct offset *offsets = run->offsets;
    struct place *places = run->places;
    unsigned *states = run->states;
    struct place *now = places, *next = other;
    uint64_t seed = run->seed;

    #pragma acc data copyin(video[0:frames * rows][0:columns], offsets[0:pixels]) \
                     copyin(states[0:particles], places[0:particles]) \
                     create(other[0:particles], logs[0:particles]) \
                     create(sums[0:tiles * TILE], front[0:tiles], back[0:tiles])
    {
        for (int frame = 1; frame < frames; frame++) {
            double *totals = front, *more = back;
            const float most = move(rows, columns, particles, pixels, &video[frame * rows], offsets,
                                    now, states, logs);
            run->estimates[frame - 1] = weigh(particles, most, now, logs, sums, totals);
            for (int reach = 1; reach < tiles; reach *= 2) {
                add_before(tiles, reach, totals, more);
                double *swap = totals;
                totals = more;
                more = swap;
            }
            draw(particles, random_float(&seed), sums, totals, now, next);
            struct place *swap = now;
            now = next;
            next = swap;
        }
        #pragma acc update self(now[0:particles])
    }
    if (now != places)
        memcpy(places, now, (size_t)particles * sizeof *places);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const size_t particles = (size_t)run.particles, tiles = (particles + TILE - 1) / TILE;
    struct place *other = (struct place *)allocate(particles, sizeof *other);
    float *logs = (float *)allocate(particles, sizeof *logs);
    double *sums = (double *)allocate(tiles * TILE, sizeof *sums);
    double *front = (double *)allocate(tiles, sizeof *front);
    double *back = (double *)allocate(tiles, sizeof *back);
    const double start = clock_seconds();
    follow(&run, other, logs, sums, front, back);
    run_finish(&run, clock_seconds() - start);
    free(other);
    free(logs);
    free(sums);
    free(front);
    free(back);
    return 0;
}
