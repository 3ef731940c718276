/*
 * Particle filter: finds an object in a noisy video. The cache form: a block
 * holds the pixels of the disk, as offsets.
 *
 * usage: particlefilter_cache ROWS COLUMNS FRAMES PARTICLES SEED [OUTPUT]
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
        #pragma acc cache(readonly: offsets[0:pixels])
        unsigned state = states[i];
        const struct place place = moved(places[i], rows, columns, &state);
        int sum = 0;
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

/* Weighs the particles: `sums` of each its weight. Returns the weighted mean of all. */
static struct place weigh(int particles, float most, const struct place *restrict places,
                          const float *restrict logs, double *restrict sums)
{
    double total = 0.0, row = 0.0, column = 0.0;

    #pragma acc parallel loop present(places, logs, sums) reduction(+ : total, row, column)
    for (int i = 0; i < particles; i++) {
        const double weight = weight_of(logs[i] - most);
        sums[i] = weight;
        total += weight;
        row += weight * places[i].row;
        column += weight * places[i].column;
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

/* Draws new particles from the old ones. `drawn` is by how much all are behind their even marks. */
static void draw(int particles, float drawn, const double *restrict sums,
                 const struct place *restrict from, struct place *restrict to)
{
    #pragma acc parallel loop present(sums, from, to)
    for (int i = 0; i < particles; i++) {
        const double mark = ((double)i + drawn) * (sums[particles - 1] / particles);
        int low = 0, high = particles - 1; /* the first whose sum is more than the mark */
        while (low < high) {
            const int middle = (low + high) / 2;
            if (sums[middle] <= mark)
                low = middle + 1;
            else
                high = middle;
        }
        to[i] = from[low];
    }
}

/* All frames on the device. `other`, `front` and `back` have room for what the particles have. */
static void follow(const struct run *run, struct place *other, float *logs, double *front,
                   double *back)
{
    const int rows = run->rows, columns = run->columns, frames = run->frames;
    const int particles = run->particles, pixels = run->pixels;
    const unsigned char (*video)[columns] = (const unsigned char (*)[columns])run->video;
    const struct offset *offsets = run->offsets;
    struct place *places = run->places;
    unsigned *states = run->states;
    struct place *now = places, *next = other;
    uint64_t seed = run->seed;

    #pragma acc data copyin(video[0:frames * rows][0:columns], offsets[0:pixels]) \
                     copyin(states[0:particles], places[0:particles]) \
                     create(other[0:particles], logs[0:particles]) \
                     create(front[0:particles], back[0:particles])
    {
        for (int frame = 1; frame < frames; frame++) {
            double *sums = front, *more = back;
            const float most = move(rows, columns, particles, pixels, &video[frame * rows], offsets,
                                    now, states, logs);
            run->estimates[frame - 1] = weigh(particles, most, now, logs, sums);
            for (int reach = 1; reach < particles; reach *= 2) {
                add_before(particles, reach, sums, more);
                double *swap = sums;
                sums = more;
                more = swap;
            }
            draw(particles, random_float(&seed), sums, now, next);
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
    const size_t particles = (size_t)run.particles;
    struct place *other = (struct place *)allocate(particles, sizeof *other);
    float *logs = (float *)allocate(particles, sizeof *logs);
    double *front = (double *)allocate(particles, sizeof *front);
    double *back = (double *)allocate(particles, sizeof *back);
    const double start = clock_seconds();
    follow(&run, other, logs, front, back);
    run_finish(&run, clock_seconds() - start);
    free(other);
    free(logs);
    free(front);
    free(back);
    return 0;
}
