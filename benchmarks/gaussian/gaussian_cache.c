/*
 * Gaussian: a system of linear equations by elimination. The cache form: each block of the second
 * loop holds its part of the pivot's row and its part of the factors.
 *
 * usage: gaussian_cache (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "system.h"

#ifndef TILE
#define TILE 16 /* rows and columns of a tile */
#endif
#if TILE < 1 || TILE > 32
#error "a block has one thread a coefficient of the tile, 1024 at most"
#endif

/* Takes unknown `k` out of the equations after it; the factors stay where zeros would be. */
static void eliminate_one(int size, int k, float (*restrict a)[size + 1])
{
    #pragma acc parallel loop independent present(a)
    for (int i = k + 1; i < size; i++)
        a[i][k] /= a[k][k];

    #pragma acc kernels present(a)
    #pragma acc loop independent vector(TILE)
    for (int i = k + 1; i < size; i++) {
        #pragma acc loop independent vector(TILE)
        for (int j = k + 1; j < size + 1; j++) {
            #pragma acc cache(a[k:1][j:1], a[i:1][k:1])
            a[i][j] -= a[i][k] * a[k][j];
        }
    }
}

/* Makes the system triangular, on the device. */
static void eliminate(int size, float (*a)[size + 1])
{
    #pragma acc data copy(a[0:size][0:size + 1])
    for (int k = 0; k < size - 1; k++)
        eliminate_one(size, k, a);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    eliminate(run.size, (float (*)[run.size + 1])run.equations);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
