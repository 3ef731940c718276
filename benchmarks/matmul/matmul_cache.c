/*
 * Matrix multiplication in float. The cache form.
 *
 * As the fcw form, with the standard's directive: it promises nothing that the program relies on.
 *
 * usage: matmul_cache ROWS INNER COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "matrices.h"

#ifndef TILE
#define TILE 16 /* rows and columns of c that a block computes, and depth of its tiles */
#endif
#if TILE < 1 || TILE * TILE > 1024
#error "a tile has one thread an element, 1024 at most"
#endif

/* c = a b: `a` has `rows` rows of `inner` elements, `b` has `inner` rows of `columns`. */
static void multiply(int rows, int inner, int columns, const float (*restrict a)[inner],
                     const float (*restrict b)[columns], float (*restrict c)[columns])
{
    #pragma acc kernels copyin(a[0:rows][0:inner], b[0:inner][0:columns]) \
                        copyout(c[0:rows][0:columns])
    #pragma acc loop independent vector(TILE)
    for (int i = 0; i < rows; i++) {
        #pragma acc loop independent vector(TILE)
        for (int j = 0; j < columns; j++) {
            float sum = 0.0f;
            for (int first = 0; first < inner; first += TILE) {
                #pragma acc cache(a[i:1][first:TILE], b[first:TILE][j:1])
                const int end = first + TILE < inner ? first + TILE : inner; /* the last is partial */
                for (int k = first; k < end; k++)
                    sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
        }
    }
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
