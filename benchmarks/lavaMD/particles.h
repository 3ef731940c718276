/*
 * The particles of lavaMD, and the input of a run: shared by all forms.
 *
 * The task is that of the Rodinia suite: space is cut into boxes of the same number of particles
 * each, and a particle feels those of its own box and of the up to 26 boxes around it. Of one at
 * distance d with charge q it feels the potential q exp(-(ALPHA d)^2), and a force along the line
 * between them.
 */
#ifndef BENCHMARKS_LAVAMD_PARTICLES_H
#define BENCHMARKS_LAVAMD_PARTICLES_H

#include <math.h>

#include "../common/program.h"

#define ALPHA 0.5
#define MOST_BOXES 100 /* in each direction */
#define MOST_PARTICLES 1000

/* A place, with half its squared distance from the origin; or a force, with the potential. */
struct vector {
    double v, x, y, z;
};

/* A run as the command line gives it, its input in memory; the particles of a box are together. */
struct run {
    int planes, rows, columns; /* of boxes, which have edges of 1 */
    int particles;             /* of a box */
    struct vector *places;
    double *charges;
    struct vector *felt; /* room for the potentials and forces */
    const char *output;  /* file for them; NULL: none is asked for */
};

static inline size_t run_particles(const struct run *run)
{
    return (size_t)(run->planes * run->rows * run->columns) * (size_t)run->particles;
}

/* What a particle at `own` feels, `sum`, with what one at `other` adds. */
ON_DEVICE static inline struct vector feel(struct vector sum, struct vector own,
                                           struct vector other, double charge)
{
    const double half = own.v + other.v - (own.x * other.x + own.y * other.y + own.z * other.z);
    const double potential = exp(-(2.0 * ALPHA * ALPHA * half));
    const double force = 2.0 * potential;
    sum.v += charge * potential;
    sum.x += charge * (force * (own.x - other.x));
    sum.y += charge * (force * (own.y - other.y));
    sum.z += charge * (force * (own.z - other.z));
    return sum;
}

/* A particle anywhere in a box; boxes are numbered plane by plane and row by row. */
static inline struct vector place_made_up(const struct run *run, int box, uint64_t *seed)
{
    struct vector place;
    place.x = box % run->columns + (double)random_float(seed);
    place.y = box / run->columns % run->rows + (double)random_float(seed);
    place.z = box / run->columns / run->rows + (double)random_float(seed);
    place.v = 0.5 * (place.x * place.x + place.y * place.y + place.z * place.z);
    return place;
}

/* PLANES ROWS COLUMNS PARTICLES SEED [OUTPUT]: charges from 0.1 to 1. */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 6 && argc != 7)
        fail("usage: %s PLANES ROWS COLUMNS PARTICLES SEED [OUTPUT]", argv[0]);
    struct run run;
    run.planes = number_argument(argv[1], 1, MOST_BOXES, "planes");
    run.rows = number_argument(argv[2], 1, MOST_BOXES, "rows");
    run.columns = number_argument(argv[3], 1, MOST_BOXES, "columns");
    run.particles = number_argument(argv[4], 1, MOST_PARTICLES, "particles");
    uint64_t seed = (uint64_t)number_argument(argv[5], 0, INT32_MAX, "seed");
    run.output = argc == 7 ? argv[6] : NULL;
    run.places = (struct vector *)allocate(run_particles(&run), sizeof *run.places);
    run.charges = (double *)allocate(run_particles(&run), sizeof *run.charges);
    run.felt = (struct vector *)allocate(run_particles(&run), sizeof *run.felt);
    for (size_t i = 0; i < run_particles(&run); i++) {
        run.places[i] = place_made_up(&run, (int)(i / (size_t)run.particles), &seed);
        run.charges[i] = 0.1 + 0.9 * (double)random_float(&seed);
    }
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t count = run_particles(run);
    printf("lavaMD %dx%dx%d boxes of %d: checksum %016llx\n", run->planes, run->rows,
           run->columns, run->particles, checksum(run->felt, count, sizeof *run->felt));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (size_t i = 0; i < count; i++)
            fprintf(file, "%.17g %.17g %.17g %.17g\n", run->felt[i].v, run->felt[i].x,
                    run->felt[i].y, run->felt[i].z);
        output_close(file, run->output);
    }
    free(run->places);
    free(run->charges);
    free(run->felt);
}

#endif
