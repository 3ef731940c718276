/*
 * Photons in tissue of several layers, by Monte Carlo. The serial form.
 *
 * usage: mcml_serial PHOTONS LAYERS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "photon.h"

/* Simulates all photons; those of a copy of the grid in their order. */
static void simulate(struct run *run)
{
    for (int copy = 0; copy < COPIES; copy++)
        for (int number = copy; number < run->photons; number += COPIES)
            photon_simulate(number, run->seed, run->layers, run->layer, run->surface,
                            run->absorbed[copy]);
}

/* Adds up all copies; the sum is in the first. */
static void add_copies(absorption_grid *absorbed)
{
    for (int z = 0; z < DEPTHS; z++) {
        for (int r = 0; r < RINGS; r++) {
            float sum = 0.0f;
            for (int copy = 0; copy < COPIES; copy++)
                sum += absorbed[copy][z][r];
            absorbed[0][z][r] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    add_copies(run.absorbed);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
