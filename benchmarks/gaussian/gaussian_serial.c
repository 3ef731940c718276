/*
 * Gaussian: a system of linear equations by elimination. The serial form.
 *
 * usage: gaussian_serial (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "system.h"

/* Makes the system triangular; the factors stay where zeros would be. */
static void eliminate(int size, float (*a)[size + 1])
{
    for (int k = 0; k < size - 1; k++) {
        for (int i = k + 1; i < size; i++) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j <= size; j++)
                a[i][j] -= a[i][k] * a[k][j];
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
