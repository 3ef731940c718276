/*
 * Charged atoms, the plane whose potential is asked for, and the input of a run: shared by all forms
 * of cp.
 */
#ifndef BENCHMARKS_CP_ATOMS_H
#define BENCHMARKS_CP_ATOMS_H

#include <math.h>

#include "../common/grid.h"

#define SPACING 0.1f /* between points of the grid */
#define HEIGHT 1.0f  /* of the plane above the atoms' slab */

struct atom {
    float x, y;
    float height; /* the square of its distance from the plane */
    float charge;
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int rows, columns, count;
    struct atom *atoms;
    float *potential;   /* rows x columns, zero before */
    const char *output; /* file for it; NULL: none is asked for */
};

/* The potential of an atom at a point of the plane. */
ON_DEVICE static inline float potential_of(struct atom atom, float x, float y)
{
    const float dx = x - atom.x, dy = y - atom.y;
    return atom.charge / sqrtf(dx * dx + dy * dy + atom.height);
}

/* ROWS COLUMNS ATOMS SEED [OUTPUT]: atoms in a slab below the plane, charges from -1 to 1. */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 5 && argc != 6)
        fail("usage: %s ROWS COLUMNS ATOMS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.rows = number_argument(argv[1], 1, 16384, "rows");
    run.columns = number_argument(argv[2], 1, 16384, "columns");
    run.count = number_argument(argv[3], 0, 1 << 24, "atoms");
    uint64_t seed = (uint64_t)number_argument(argv[4], 0, INT32_MAX, "seed");
    run.output = argc == 6 ? argv[5] : NULL;
    run.atoms = (struct atom *)allocate((size_t)run.count + 1, sizeof *run.atoms);
    for (int i = 0; i < run.count; i++) {
        struct atom *atom = &run.atoms[i];
        atom->x = SPACING * (float)run.columns * random_float(&seed);
        atom->y = SPACING * (float)run.rows * random_float(&seed);
        const float distance = HEIGHT + 2.0f * random_float(&seed);
        atom->height = distance * distance;
        atom->charge = 2.0f * random_float(&seed) - 1.0f;
    }
    const size_t points = (size_t)run.rows * (size_t)run.columns;
    run.potential = grid_allocate(points);
    for (size_t i = 0; i < points; i++)
        run.potential[i] = 0.0f;
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees atoms and grid. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t points = (size_t)run->rows * (size_t)run->columns;
    printf("cp %dx%d, %d atoms: checksum %016llx\n", run->rows, run->columns, run->count,
           checksum(run->potential, points, sizeof *run->potential));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        grid_write(run->output, run->potential, points);
    free(run->atoms);
    free(run->potential);
}

#endif
