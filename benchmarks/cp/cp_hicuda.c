/*
 * Coulombic potential of charged atoms on a plane. The hiCUDA form.
 *
 * Atoms go through constant memory, BATCH at a time, a kernel each; the plane stays on the device.
 *
 * usage: cp_hicuda ROWS COLUMNS ATOMS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "atoms.h"

#ifndef BATCH
#define BATCH 4000 /* atoms in constant memory */
#endif
#if BATCH < 1 || BATCH > 4096
#error "a batch has 1 to 4096 atoms"
#endif

/* Adds what the `count` atoms of a batch cause at each point. */
static void add_batch(int rows, int columns, int count, const struct atom batch[BATCH],
                      float (*restrict potential)[columns])
{
    #pragma hicuda kernel add_potential tblock((rows + 7) / 8, (columns + 15) / 16) thread(8, 16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < rows; i++) {
        #pragma hicuda loop_partition over_tblock over_thread
        for (int j = 0; j < columns; j++) {
            const float x = SPACING * (float)j, y = SPACING * (float)i;
            float sum = potential[i][j];
            for (int n = 0; n < count; n++)
                sum += potential_of(batch[n], x, y);
            potential[i][j] = sum;
        }
    }
    #pragma hicuda kernel_end
}

/* The sum over all atoms at each point, in their order. */
static void sum_potential(int rows, int columns, int count, const struct atom *restrict atoms,
                          float (*restrict potential)[columns])
{
    static struct atom batch[BATCH];

    #pragma hicuda shape potential[rows][columns]
    #pragma hicuda global alloc potential[*][*] copyin
    for (int first = 0; first < count; first += BATCH) {
        const int size = count - first < BATCH ? count - first : BATCH;
        memcpy(batch, atoms + first, (size_t)size * sizeof *atoms);
        #pragma hicuda constant copyin batch[*]
        add_batch(rows, columns, size, batch, potential);
        #pragma hicuda constant remove batch
    }
    #pragma hicuda global copyout potential[*][*]
    #pragma hicuda global free potential
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
