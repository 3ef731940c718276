/*
 * The equation that poisson solves, and the input of a run: shared by all forms.
 *
 * The task is that of the Himeno benchmark: the pressure p in a fluid follows from a Poisson
 * equation in curved coordinates, discretised on a lattice of planes x rows x columns. Each step of
 * Jacobi's method takes from each point inside its residual, weighed by OMEGA; a point's equation
 * has its own coefficients for itself and 18 of its neighbours: a for those behind it and itself,
 * c for those before it, b for those across. `boundary` is 0 where no fluid is. The points of the
 * rim keep their value. A lattice with fewer than three planes, rows or columns is all rim.
 */
#ifndef BENCHMARKS_POISSON_LATTICE_H
#define BENCHMARKS_POISSON_LATTICE_H

#include "../common/grid.h"

#define OMEGA 0.8f

/* A run as the command line gives it, its input in memory. */
struct run {
    int planes, rows, columns, steps;
    float *a;        /* 4 lattices: three neighbours and 1 / the point's own coefficient */
    float *b;        /* 3 lattices: across planes and rows, rows and columns, planes and columns */
    float *c;        /* 3 lattices: the other three neighbours */
    float *source;   /* the right-hand side */
    float *boundary; /* 1: fluid, 0: none */
    float *p;
    float *next;        /* room for the points of the next step */
    const char *output; /* file for the pressures; NULL: none is asked for */
};

static inline size_t run_points(const struct run *run)
{
    return (size_t)run->planes * (size_t)run->rows * (size_t)run->columns;
}

/* Room for `count` lattices of values from `low` to `high`. */
static inline float *lattice_made_up(const struct run *run, size_t count, float low, float high,
                                     uint64_t *seed)
{
    const size_t values = count * run_points(run);
    float *lattice = grid_allocate(values);
    for (size_t i = 0; i < values; i++)
        lattice[i] = low + (high - low) * random_float(seed);
    return lattice;
}

/*
 * PLANES ROWS COLUMNS STEPS SEED [OUTPUT]: coefficients near those of the plain Laplace operator,
 * so that the steps converge; one point in sixteen without fluid.
 */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 6 && argc != 7)
        fail("usage: %s PLANES ROWS COLUMNS STEPS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.planes = number_argument(argv[1], 1, 1024, "planes");
    run.rows = number_argument(argv[2], 1, 1024, "rows");
    run.columns = number_argument(argv[3], 1, 1024, "columns");
    run.steps = number_argument(argv[4], 0, 1000000, "steps");
    uint64_t seed = (uint64_t)number_argument(argv[5], 0, INT32_MAX, "seed");
    run.output = argc == 7 ? argv[6] : NULL;
    const size_t points = run_points(&run);
    run.a = lattice_made_up(&run, 4, 0.9f, 1.0f, &seed);
    for (size_t i = 3 * points; i < 4 * points; i++)
        run.a[i] *= 0.16f;
    run.b = lattice_made_up(&run, 3, -0.02f, 0.02f, &seed);
    run.c = lattice_made_up(&run, 3, 0.9f, 1.0f, &seed);
    run.source = lattice_made_up(&run, 1, -0.01f, 0.01f, &seed);
    run.p = lattice_made_up(&run, 1, 0.0f, 1.0f, &seed);
    run.boundary = grid_allocate(points);
    run.next = grid_allocate(points);
    for (size_t i = 0; i < points; i++)
        run.boundary[i] = random_bits(&seed) % 16 == 0 ? 0.0f : 1.0f;
    return run;
}

/*
 * The result line, the time on a line of its own, and the output file; frees the lattices. `gosa`
 * is the sum of the squared residuals of the last step: six digits of a sum in double do not depend
 * on the order of the summands.
 */
static inline void run_finish(const struct run *run, double gosa, double seconds)
{
    printf("poisson %dx%dx%d, %d steps, gosa %.6g: checksum %016llx\n", run->planes, run->rows,
           run->columns, run->steps, gosa, checksum(run->p, run_points(run), sizeof *run->p));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        grid_write(run->output, run->p, run_points(run));
    free(run->a);
    free(run->b);
    free(run->c);
    free(run->source);
    free(run->boundary);
    free(run->p);
    free(run->next);
}

#endif
