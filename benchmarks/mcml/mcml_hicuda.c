/*
 * Photons in tissue of several layers, by Monte Carlo. The hiCUDA form.
 *
 * A thread has a copy of the grid and simulates its photons; the layers stand in constant memory. A
 * second kernel adds up the copies, whose columns it brings to shared memory first.
 *
 * usage: mcml_hicuda PHOTONS LAYERS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "photon.h"

#ifndef BLOCK
#define BLOCK 64 /* threads of a block that simulates */
#endif
#define COLUMNS 16 /* rings of a block that adds */
#if BLOCK < 1 || BLOCK > 512 || COPIES % BLOCK != 0
#error "a block has 1 to 512 threads, a divisor of the number of copies"
#endif

static struct layer layers[MOST_LAYERS + 2];
static struct surface surfaces[MOST_LAYERS + 1];

/* Simulates all photons; those of a copy of the grid in their order. */
static void simulate(int photons, int seed, int layer_count, absorption_grid *absorbed)
{
    #pragma hicuda kernel simulate_photons tblock(COPIES / BLOCK) thread(BLOCK)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int copy = 0; copy < COPIES; copy++)
        for (int number = copy; number < photons; number += COPIES)
            photon_simulate(number, seed, layer_count, layers, surfaces, absorbed[copy]);
    #pragma hicuda kernel_end
}

/* Adds up all copies. */
static void add_copies(absorption_grid *absorbed, absorption_grid *total)
{
    #pragma hicuda kernel add_grids tblock(DEPTHS, RINGS / COLUMNS) thread(COLUMNS)
    #pragma hicuda loop_partition over_tblock
    for (int z = 0; z < DEPTHS; z++) {
        #pragma hicuda loop_partition over_tblock over_thread
        for (int r = 0; r < RINGS; r++) {
            #pragma hicuda shared alloc absorbed[0:COPIES - 1][z][r] copyin
            #pragma hicuda barrier
            float sum = 0.0f;
            for (int copy = 0; copy < COPIES; copy++)
                sum += absorbed[copy][z][r];
            total[0][z][r] = sum;
            #pragma hicuda barrier
            #pragma hicuda shared remove absorbed
        }
    }
    #pragma hicuda kernel_end
}

/* Both, between which the grids stay on the device. */
static void transport(const struct run *run)
{
    absorption_grid *absorbed = run->absorbed;
    absorption_grid *total = (absorption_grid *)allocate(1, sizeof *total);

    memcpy(layers, run->layer, sizeof layers);
    memcpy(surfaces, run->surface, sizeof surfaces);
    #pragma hicuda shape absorbed[COPIES][DEPTHS][RINGS]
    #pragma hicuda constant copyin layers[*]
    #pragma hicuda constant copyin surfaces[*]
    #pragma hicuda shape total[1][DEPTHS][RINGS]
    #pragma hicuda global alloc absorbed[*][*][*] clear
    #pragma hicuda global alloc total[*][*][*]
    simulate(run->photons, run->seed, run->layers, absorbed);
    add_copies(absorbed, total);
    #pragma hicuda global copyout total[*][*][*]
    #pragma hicuda global free absorbed total
    #pragma hicuda constant remove layers surfaces
    memcpy(absorbed[0], total[0], sizeof *absorbed);
    free(total);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    transport(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
