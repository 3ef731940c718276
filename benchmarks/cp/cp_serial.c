/*
 * Coulombic potential of charged atoms on a plane. The serial form.
 *
 * usage: cp_serial ROWS COLUMNS ATOMS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "atoms.h"

/* The sum over all atoms at each point, in their order. */
static void sum_potential(int rows, int columns, int count, const struct atom *restrict atoms,
                          float (*restrict potential)[columns])
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            const float x = SPACING * (float)j, y = SPACING * (float)i;
            float sum = potential[i][j];
            for (int n = 0; n < count; n++)
                sum += potential_of(atoms[n], x, y);
            potential[i][j] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    sum_potential(run.rows, run.columns, run.count, run.atoms,
                  (float (*)[run.columns])run.potential);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
