/*
 * Poisson's equation on a lattice by Jacobi's method, 19 points in float. The fcw form.
 *
 * A block fetches its points and a halo of one point around them once; in the plain form nineteen
 * threads read each point. The coefficients are read once anyway.
 *
 * usage: poisson_fcw PLANES ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "lattice.h"

#ifndef TILE_PLANES
#define TILE_PLANES 2 /* planes of a block */
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 4 /* rows of a block */
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 32 /* columns of a block */
#endif
#if TILE_PLANES < 1 || TILE_ROWS < 1 || TILE_COLUMNS < 1
#error "a tile has a point at least"
#endif
#if TILE_PLANES * TILE_ROWS * TILE_COLUMNS > 1024
#error "a block has one thread a point, 1024 at most"
#endif

/* A step for the points inside: `next` from `p`. Returns the sum of the squared residuals. */
static double relax(int planes, int rows, int columns,
                    const float (*restrict a)[planes][rows][columns],
                    const float (*restrict b)[planes][rows][columns],
                    const float (*restrict c)[planes][rows][columns],
                    const float (*restrict source)[rows][columns],
                    const float (*restrict boundary)[rows][columns],
                    const float (*restrict p)[rows][columns],
                    float (*restrict next)[rows][columns])
{
    double gosa = 0.0;

    #pragma acc kernels present(a, b, c, source, boundary, p, next)
    #pragma acc loop independent vector(TILE_PLANES) reduction(+ : gosa)
    for (int i = 1; i < planes - 1; i++) {
        #pragma acc loop independent vector(TILE_ROWS) reduction(+ : gosa)
        for (int j = 1; j < rows - 1; j++) {
            #pragma acc loop independent vector(TILE_COLUMNS) reduction(+ : gosa)
            for (int k = 1; k < columns - 1; k++) {
                #pragma acc fcw FETCH_ONLY(p[i:1:1:j:1:1:k:1:1])
                {
                    const float sum =
                        a[0][i][j][k] * p[i + 1][j][k] + a[1][i][j][k] * p[i][j + 1][k] +
                        a[2][i][j][k] * p[i][j][k + 1] +
                        b[0][i][j][k] * (p[i + 1][j + 1][k] - p[i + 1][j - 1][k] -
                                         p[i - 1][j + 1][k] + p[i - 1][j - 1][k]) +
                        b[1][i][j][k] * (p[i][j + 1][k + 1] - p[i][j - 1][k + 1] -
                                         p[i][j + 1][k - 1] + p[i][j - 1][k - 1]) +
                        b[2][i][j][k] * (p[i + 1][j][k + 1] - p[i - 1][j][k + 1] -
                                         p[i + 1][j][k - 1] + p[i - 1][j][k - 1]) +
                        c[0][i][j][k] * p[i - 1][j][k] + c[1][i][j][k] * p[i][j - 1][k] +
                        c[2][i][j][k] * p[i][j][k - 1] + source[i][j][k];
                    const float residual = (sum * a[3][i][j][k] - p[i][j][k]) * boundary[i][j][k];
                    gosa += (double)(residual * residual);
                    next[i][j][k] = p[i][j][k] + OMEGA * residual;
                }
            }
        }
    }
    return gosa;
}

/* The step's points become the current ones. */
static void update(int planes, int rows, int columns,
                   const float (*restrict next)[rows][columns],
                   float (*restrict p)[rows][columns])
{
    #pragma acc parallel loop collapse(3) present(next, p)
    for (int i = 1; i < planes - 1; i++) {
        for (int j = 1; j < rows - 1; j++) {
            for (int k = 1; k < columns - 1; k++)
                p[i][j][k] = next[i][j][k];
        }
    }
}

/* All steps on the device. Returns the sum of the squared residuals of the last. */
static double solve(const struct run *run)
{
    const int planes = run->planes, rows = run->rows, columns = run->columns;
    const float (*a)[planes][rows][columns] = (const float (*)[planes][rows][columns])run->a;
    const float (*b)[planes][rows][columns] = (const float (*)[planes][rows][columns])run->b;
    const float (*c)[planes][rows][columns] = (const float (*)[planes][rows][columns])run->c;
    const float (*source)[rows][columns] = (const float (*)[rows][columns])run->source;
    const float (*boundary)[rows][columns] = (const float (*)[rows][columns])run->boundary;
    float (*p)[rows][columns] = (float (*)[rows][columns])run->p;
    float (*next)[rows][columns] = (float (*)[rows][columns])run->next;
    double gosa = 0.0;

    #pragma acc data copyin(a[0:4][0:planes][0:rows][0:columns], \
                            b[0:3][0:planes][0:rows][0:columns], \
                            c[0:3][0:planes][0:rows][0:columns], \
                            source[0:planes][0:rows][0:columns], \
                            boundary[0:planes][0:rows][0:columns]) \
                     copy(p[0:planes][0:rows][0:columns]) \
                     create(next[0:planes][0:rows][0:columns])
    for (int step = 0; step < run->steps; step++) {
        gosa = relax(planes, rows, columns, a, b, c, source, boundary,
                     (const float (*)[rows][columns])p, next);
        update(planes, rows, columns, (const float (*)[rows][columns])next, p);
    }
    return gosa;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    const double gosa = solve(&run);
    run_finish(&run, gosa, clock_seconds() - start);
    return 0;
}
