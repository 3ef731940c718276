/*
 * LUD: a matrix as the product of a lower and an upper triangular one. The fcw form.
 *
 * A block decomposes the tile at the diagonal. With it others go through the tiles to the right, a
 * column a thread, which become rows of U, and those below, a row a thread, which become columns of
 * L; no thread needs another's there, but the tiles come and go by rows, whoever uses them. Then
 * each of the remaining tiles takes TILE steps at once, from its part of L and U in shared memory.
 * Each coefficient goes through the steps of the serial form in their order.
 *
 * `done` is another name of the matrix, for tiles that a loop only reads.
 *
 * usage: lud_fcw (--matrix FILE | --generate SIZE SEED) [OUTPUT]
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

    #pragma acc kernels present(a)
    #pragma acc loop independent vector(TILE)
    for (int i = first; i < end; i++) {
        #pragma acc loop independent vector(TILE)
        for (int j = first; j < end; j++) {
            #pragma acc fcw FETCH_CHANNEL_WB(a[i:0:0:j:0:0]) explicit
            for (int k = first; k < end; k++) {
                if (i > k && j == k)
                    a[i][k] /= a[k][k];
                #pragma acc fcw_barrier
                if (i > k && j > k)
                    a[i][j] -= a[i][k] * a[k][j];
                #pragma acc fcw_barrier
            }
        }
    }
}

/* The tiles to the right of it: rows of U, a column a thread. */
static void go_right(int size, int first, const float (*restrict done)[size],
                     float (*restrict a)[size])
{
    #pragma acc parallel loop independent vector_length(TILE) present(done, a)
    for (int j = first + TILE; j < size; j++) {
        #pragma acc fcw FETCH_WB(a[first:0:TILE - 1:j:0:0]) \
                        FETCH_ONLY(done[first:0:TILE - 1:first:0:TILE - 1])
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
        #pragma acc fcw FETCH_WB(a[i:0:0:first:0:TILE - 1]) \
                        FETCH_ONLY(done[first:0:TILE - 1:first:0:TILE - 1])
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
            float value = a[i][j];
            #pragma acc fcw FETCH_ONLY(done[i:0:0:first:0:TILE - 1], \
                                       done[first:0:TILE - 1:j:0:0])
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
