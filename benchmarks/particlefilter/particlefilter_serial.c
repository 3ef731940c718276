/*
 * Particle filter: finds an object in a noisy video. The serial form.
 *
 * usage: particlefilter_serial ROWS COLUMNS FRAMES PARTICLES SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "video.h"

/* How much the pixels around a place look like the object; those outside are background. */
static float likelihood(const struct run *run, const unsigned char *frame, struct place place)
{
    int sum = 0;
    for (int k = 0; k < run->pixels; k++) {
        const int row = (int)(place.row + 0.5f) + run->offsets[k].row;
        const int column = (int)(place.column + 0.5f) + run->offsets[k].column;
        const int inside = row >= 0 && row < run->rows && column >= 0 && column < run->columns;
        sum += evidence(inside ? frame[row * run->columns + column] : BACKGROUND);
    }
    return log_likelihood(sum, run->pixels);
}

/* Follows the object into a frame. Returns where it should be. `drawn` chooses among the particles. */
static struct place follow(const struct run *run, const unsigned char *frame, float drawn,
                           float *logs, double *sums, struct place *places)
{
    const int particles = run->particles;
    float most = -INFINITY;
    for (int i = 0; i < particles; i++) {
        run->places[i] = moved(run->places[i], run->rows, run->columns, &run->states[i]);
        logs[i] = likelihood(run, frame, run->places[i]);
        most = logs[i] > most ? logs[i] : most;
    }
    double total = 0.0, row = 0.0, column = 0.0;
    for (int i = 0; i < particles; i++) {
        const float weight = weight_of(logs[i] - most);
        total += weight;
        row += (double)weight * run->places[i].row;
        column += (double)weight * run->places[i].column;
        sums[i] = total;
    }
    for (int i = 0, chosen = 0; i < particles; i++) {
        const double mark = ((double)i + drawn) * (total / particles);
        while (chosen < particles - 1 && sums[chosen] <= mark)
            chosen++;
        places[i] = run->places[chosen];
    }
    memcpy(run->places, places, (size_t)particles * sizeof *places);
    const struct place estimate = {(float)(row / total), (float)(column / total)};
    return estimate;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const size_t particles = (size_t)run.particles;
    float *logs = (float *)allocate(particles, sizeof *logs);
    double *sums = (double *)allocate(particles, sizeof *sums);
    struct place *places = (struct place *)allocate(particles, sizeof *places);
    uint64_t seed = run.seed;
    const double start = clock_seconds();
    for (int frame = 1; frame < run.frames; frame++) {
        const unsigned char *pixels =
            run.video + (size_t)frame * (size_t)run.rows * (size_t)run.columns;
        run.estimates[frame - 1] = follow(&run, pixels, random_float(&seed), logs, sums, places);
    }
    run_finish(&run, clock_seconds() - start);
    free(logs);
    free(sums);
    free(places);
    return 0;
}
