/*
 * LUD: a matrix as the product of a lower and an upper triangular one. The serial form:
 * Doolittle's, a row of U and a column of L at a time.
 *
 * usage: lud_serial (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "matrix.h"

/* L and U in the place of their product. */
static void decompose(int size, float (*a)[size])
{
    for (int k = 0; k < size; k++) {
        for (int j = k; j < size; j++) {
            float value = a[k][j];
            for (int m = 0; m < k; m++)
                value -= a[k][m] * a[m][j];
            a[k][j] = value;
        }
        for (int i = k + 1; i < size; i++) {
            float value = a[i][k];
            for (int m = 0; m < k; m++)
                value -= a[i][m] * a[m][k];
            a[i][k] = value / a[k][k];
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
