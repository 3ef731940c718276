/*
 * LUD: a matrix as the product of a lower and an upper triangular one. The cache form.
 *
 * By tiles, as the fcw form. Threads of a tile at the diagonal need what others computed, which
 * `cache` cannot let them see: they meet in the device's memory, between the loops of one gang's
 * workers.
 *
 * `done` is another name of the matrix, for tiles that a loop only reads.
 *
 * usage: lud_cache (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "matrix.h"

#ifndef TILE
#define TILE 16 /* rows and columns of a tile */
#endif
#if TILE < 1 || TILE > 32
#error "a block has one thread a coefficient of the tile, 1024 at most"
#endif

/* The tile at the diagonal, from row and column `first`: one block. */
static void decompose_diagonal(int size, int first, float (*restrict a)[size])
{
    const int end = least(first + TILE, size);

    #pragma acc parallel num_gangs(1) num_workers(TILE) vector_length(TILE) present(a)
    for (int k = first; k < end; k++) {
        #pragma acc loop worker independent
        for (int i = k + 1; i < end; i++)
            a[i][k] /= a[k][k];
        #pragma acc loop worker independent
        for (int i = k + 1; i < end; i++) {
            #pragma acc loop vector independent
            for (int j = k + 1; j < end; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
    }
}

/* The tiles to the right of it: rows of U, a column a thread. */
static void go_right(int size, int first, const float (*restrict done)[size],
                     float (*restrict a)[size])
{
    #pragma acc parallel loop independent vector_length(TILE) present(done, a)
    for (int j = first + TILE; j < size; j++) {
        #pragma acc cache(done[first:TILE][first:TILE], a[first:TILE][j:1])
        for (int i = first + 1; i < first + TILE; i++) {
            float value = a[i][j];
            for (int k = first; k < i; k++)
                value -= done[i][k] * a[k][j];
            a[i][j] = value;
        }
    }
}

/* The tiles below it: columns of L, a row a thread. */
static void go_down(int size, int first, const float (*restrict done)[size],
                    float (*restrict a)[size])
{
    #pragma acc parallel loop independent vector_length(TILE) present(done, a)
    for (int i = first + TILE; i < size; i++) {
        #pragma acc cache(done[first:TILE][first:TILE], a[i:1][first:TILE])
        for (int j = first; j < first + TILE; j++) {
            float value = a[i][j];
            for (int k = first; k < j; k++)
                value -= a[i][k] * done[k][j];
            a[i][j] = value / done[j][j];
        }
    }
}

/* All other tiles: what TILE columns of L and rows of U add to the product goes off. */
static void subtract(int size, int first, const float (*restrict done)[size],
                     float (*restrict a)[size])
{
    #pragma acc kernels present(done, a)
    #pragma acc loop independent vector(TILE)
    for (int i = first + TILE; i < size; i++) {
        #pragma acc loop independent vector(TILE)
        for (int j = first + TILE; j < size; j++) {
            #pragma acc cache(done[i:1][first:TILE], done[first:TILE][j:1])
            float value = a[i][j];
            for (int k = first; k < first + TILE; k++)
                value -= done[i][k] * done[k][j];
            a[i][j] = value;
        }
    }
}

/* L and U in the place of their product, on the device. */
static void decompose(int size, float (*a)[size])
{
    #pragma acc data copy(a[0:size][0:size])
    for (int first = 0; first < size; first += TILE) {
        decompose_diagonal(size, first, a);
        if (first + TILE < size) {
            go_right(size, first, (const float (*)[size])a, a);
            go_down(size, first, (const float (*)[size])a, a);
            subtract(size, first, (const float (*)[size])a, a);
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    decompose(run.size, (float (*)[run.size])run.matrix);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
