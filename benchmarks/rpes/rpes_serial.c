/*
 * Repulsion of the electrons of two molecules, by Rys' quadrature. The serial form.
 *
 * usage: rpes_serial SHELLS SHELLS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "shells.h"

/* The repulsion of each pair of shells of one molecule and each of the other. */
static void repel(int rows, int columns, const struct gaussian (*restrict bra)[PAIRS],
                  const struct gaussian (*restrict ket)[PAIRS],
                  const struct weights *restrict weights, float (*restrict repulsion)[columns])
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            float sum = 0.0f;
            for (int p = 0; p < PAIRS; p++)
                for (int q = 0; q < PAIRS; q++)
                    sum += gaussian_repulsion(bra[i][p], ket[j][q], weights);
            repulsion[i][j] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    repel(run.rows, run.columns, (const struct gaussian (*)[PAIRS])run.bra,
          (const struct gaussian (*)[PAIRS])run.ket, &run.weights,
          (float (*)[run.columns])run.repulsion);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
