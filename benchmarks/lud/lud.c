/*
 * LUD: a matrix as the product of a lower and an upper triangular one. The OpenACC form: a row of U
 * and a column of L at a time.
 *
 * usage: lud (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "matrix.h"

/* Row `k` of U and column `k` of L, from those before. */
static void advance(int size, int k, float (*restrict a)[size])
{
    #pragma acc parallel loop independent present(a)
    for (int j = k; j < size; j++) {
        float value = a[k][j];
        for (int m = 0; m < k; m++)
            value -= a[k][m] * a[m][j];
        a[k][j] = value;
    }

    #pragma acc parallel loop independent present(a)
    for (int i = k + 1; i < size; i++) {
        float value = a[i][k];
        for (int m = 0; m < k; m++)
            value -= a[i][m] * a[m][k];
        a[i][k] = value / a[k][k];
    }
}

/* L and U in the place of their product, on the device. */
static void decompose(int size, float (*a)[size])
{
    #pragma acc data copy(a[0:size][0:size])
    for (int k = 0; k < size; k++)
        advance(size, k, a);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    decompose(run.size, (float (*)[run.size])run.matrix);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
