/*
 * Gaussian: a system of linear equations by elimination. The fcw form.
 *
 * TILE unknowns at a time go out of the equations after them. A block does that for the tile at the
 * diagonal; then others do it for the tiles to the right, the equations of these unknowns, and for
 * the tiles below, which become factors; then each of the remaining tiles takes TILE steps at once,
 * from its factors and its part of these equations in shared memory. Each coefficient goes through
 * the steps of the serial form in their order.
 *
 * `done` is another name of the matrix, for tiles that a loop only reads.
 *
 * usage: gaussian_fcw (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "system.h"

#ifndef TILE
#define TILE 16 /* rows and columns of a tile */
#endif
#if TILE < 1 || TILE > 32
#error "a block has one thread a coefficient of the tile, 1024 at most"
#endif

/* The tile at the diagonal, from row and column `first`: one block. */
static void eliminate_diagonal(int size, int first, float (*restrict a)[size + 1])
{
    const int last = least(first + TILE, size), right = least(first + TILE, size + 1);

    #pragma acc kernels present(a)
    #pragma acc loop independent vector(TILE)
    for (int i = first; i < last; i++) {
        #pragma acc loop independent vector(TILE)
        for (int j = first; j < right; j++) {
            #pragma acc fcw FETCH_CHANNEL_WB(a[i:0:0:j:0:0]) explicit
            for (int k = first; k < last; k++) {
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

/* The tiles below it: the factors of the equations from row `first` + TILE on. */
static void eliminate_below(int size, int first, const float (*restrict done)[size + 1],
                            float (*restrict a)[size + 1])
{
    #pragma acc kernels present(done, a)
    #pragma acc loop independent vector(TILE)
    for (int i = first + TILE; i < size; i++) {
        #pragma acc loop independent vector(TILE)
        for (int j = first; j < first + TILE; j++) {
            #pragma acc fcw FETCH_CHANNEL_WB(a[i:0:0:j:0:0]) \
                            FETCH_ONLY(done[first:0:TILE - 1:first:0:TILE - 1]) explicit
            for (int k = first; k < first + TILE; k++) {
                if (j == k)
                    a[i][k] /= done[k][k];
                #pragma acc fcw_barrier
                if (j > k)
                    a[i][j] -= a[i][k] * done[k][j];
            }
        }
    }
}

/* The tiles to the right of it: equations of the TILE unknowns, where they hold others. */
static void eliminate_right(int size, int first, const float (*restrict done)[size + 1],
                            float (*restrict a)[size + 1])
{
    const int last = least(first + TILE, size);

    #pragma acc kernels present(done, a)
    #pragma acc loop independent vector(TILE)
    for (int i = first; i < last; i++) {
        #pragma acc loop independent vector(TILE)
        for (int j = first + TILE; j < size + 1; j++) {
            #pragma acc fcw FETCH_CHANNEL_WB(a[i:0:0:j:0:0]) \
                            FETCH_ONLY(done[first:0:TILE - 1:first:0:TILE - 1]) explicit
            for (int k = first; k < last; k++) {
                if (i > k)
                    a[i][j] -= done[i][k] * a[k][j];
                #pragma acc fcw_barrier
            }
        }
    }
}

/* All other tiles: TILE unknowns go out of the remaining equations. */
static void eliminate_rest(int size, int first, const float (*restrict done)[size + 1],
                           float (*restrict a)[size + 1])
{
    #pragma acc kernels present(done, a)
    #pragma acc loop independent vector(TILE)
    for (int i = first + TILE; i < size; i++) {
        #pragma acc loop independent vector(TILE)
        for (int j = first + TILE; j < size + 1; j++) {
            float value = a[i][j];
            #pragma acc fcw FETCH_ONLY(done[i:0:0:first:0:TILE - 1], \
                                       done[first:0:TILE - 1:j:0:0])
            for (int k = first; k < first + TILE; k++)
                value -= done[i][k] * done[k][j];
            a[i][j] = value;
        }
    }
}

/* Makes the system triangular, on the device. */
static void eliminate(int size, float (*a)[size + 1])
{
    #pragma acc data copy(a[0:size][0:size + 1])
    for (int first = 0; first < size; first += TILE) {
        eliminate_diagonal(size, first, a);
        eliminate_right(size, first, (const float (*)[size + 1])a, a);
        if (first + TILE < size) {
            eliminate_below(size, first, (const float (*)[size + 1])a, a);
            eliminate_rest(size, first, (const float (*)[size + 1])a, a);
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    eliminate(run.size, (float (*)[run.size + 1])run.equations);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
