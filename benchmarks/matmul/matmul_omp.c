/*
 * Matrix multiplication in float. The OpenMP form.
 *
 * usage: matmul_omp ROWS INNER COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "matrices.h"

/* c = a b: `a` has `rows` rows of `inner` elements, `b` has `inner` rows of `columns`. */
static void multiply(int rows, int inner, int columns, const float (*restrict a)[inner],
                     const float (*restrict b)[columns], float (*restrict c)[columns])
{
    #pragma omp parallel for
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            float sum = 0.0f;
            for (int k = 0; k < inner; k++)
                sum += a[i][k] * b[k][j];
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
