/*
 * Matrix multiplication in float. The hiCUDA form.
 *
 * A block computes TILE x TILE elements of c, one a thread, and goes along a's rows and b's columns
 * DEPTH elements at a time, which it brings to shared memory.
 *
 * usage: matmul_hicuda ROWS INNER COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "matrices.h"

#ifndef TILE
#define TILE 16 /* rows and columns of c that a block computes */
#endif
#ifndef DEPTH
#define DEPTH 32 /* columns of a and rows of b in shared memory */
#endif
#if TILE < 1 || TILE * TILE > 1024 || DEPTH < 1
#error "a tile has one thread an element, 1024 at most"
#endif

/* c = a b: `a` has `rows` rows of `inner` elements, `b` has `inner` rows of `columns`. */
static void multiply(int rows, int inner, int columns, const float (*restrict a)[inner],
                     const float (*restrict b)[columns], float (*restrict c)[columns])
{
    #pragma hicuda shape a[rows][inner]
    #pragma hicuda shape b[inner][columns]
    #pragma hicuda shape c[rows][columns]
    #pragma hicuda global alloc a[*][*] copyin
    #pragma hicuda global alloc b[*][*] copyin
    #pragma hicuda global alloc c[*][*]
    #pragma hicuda kernel multiply_tiles tblock((rows + TILE - 1) / TILE, \
                                                (columns + TILE - 1) / TILE) thread(TILE, TILE)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < rows; i++) {
        #pragma hicuda loop_partition over_tblock over_thread
        for (int j = 0; j < columns; j++) {
            float sum = 0.0f;
            for (int first = 0; first < inner; first += DEPTH) {
                const int end = first + DEPTH < inner ? first + DEPTH : inner; /* the last is partial */
                #pragma hicuda shared alloc a[i][first:first + DEPTH - 1] copyin
                #pragma hicuda shared alloc b[first:first + DEPTH - 1][j] copyin
                #pragma hicuda barrier
                for (int k = first; k < end; k++)
                    sum += a[i][k] * b[k][j];
                #pragma hicuda barrier
                #pragma hicuda shared remove a b
            }
            c[i][j] = sum;
        }
    }
    #pragma hicuda kernel_end
    #pragma hicuda global copyout c[*][*]
    #pragma hicuda global free a b c
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    multiply(run.rows, run.inner, run.columns, (const float (*)[run.inner])run.a,
             (const float (*)[run.columns])run.b, (float (*)[run.columns])run.c);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
