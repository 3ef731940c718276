/*
 * Gaussian: a system of linear equations by elimination. The OpenACC form.
 *
 * usage: gaussian (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "system.h"

/* Takes unknown `k` out of the equations after it; the factors stay where zeros would be. */
static void eliminate_one(int size, int k, float (*restrict a)[size + 1])
{
    #pragma acc parallel loop independent present(a)
    for (int i = k + 1; i < size; i++)
        a[i][k] /= a[k][k];

    #pragma acc parallel loop independent collapse(2) present(a)
    for (int i = k + 1; i < size; i++) {
        for (int j = k + 1; j < size + 1; j++)
            a[i][j] -= a[i][k] * a[k][j];
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
