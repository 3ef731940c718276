/*
 * Repulsion of the electrons of two molecules, by Rys' quadrature. The hiCUDA form.
 *
 * A block has TILE x TILE integrals, one a thread, and the Gaussians that these are of in shared
 * memory; the polynomials stand in constant memory.
 *
 * usage: rpes_hicuda SHELLS SHELLS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "shells.h"

#ifndef TILE
#define TILE 16 /* rows and columns of integrals that a block computes */
#endif
#if TILE < 1 || TILE * TILE > 1024
#error "a tile has one thread an integral, 1024 at most"
#endif

/* The repulsion of each pair of shells of one molecule and each of the other. */
static void repel(int rows, int columns, const struct gaussian (*restrict bra)[PAIRS],
                  const struct gaussian (*restrict ket)[PAIRS], struct weights weights,
                  float (*restrict repulsion)[columns])
{
    #pragma hicuda shape bra[rows][PAIRS]
    #pragma hicuda shape ket[columns][PAIRS]
    #pragma hicuda shape repulsion[rows][columns]
    #pragma hicuda global alloc bra[*][*] copyin
    #pragma hicuda global alloc ket[*][*] copyin
    #pragma hicuda global alloc repulsion[*][*]
    #pragma hicuda constant copyin weights
    #pragma hicuda kernel repel_pairs tblock((rows + TILE - 1) / TILE, (columns + TILE - 1) / TILE) \
                                      thread(TILE, TILE)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < rows; i++) {
        #pragma hicuda loop_partition over_tblock over_thread
        for (int j = 0; j < columns; j++) {
            #pragma hicuda shared alloc bra[i][0:PAIRS - 1] copyin
            #pragma hicuda shared alloc ket[j][0:PAIRS - 1] copyin
            #pragma hicuda barrier
            float sum = 0.0f;
            for (int p = 0; p < PAIRS; p++)
                for (int q = 0; q < PAIRS; q++)
                    sum += gaussian_repulsion(bra[i][p], ket[j][q], &weights);
            #pragma hicuda barrier
            #pragma hicuda shared remove bra ket
            repulsion[i][j] = sum;
        }
    }
    #pragma hicuda kernel_end
    #pragma hicuda global copyout repulsion[*][*]
    #pragma hicuda constant remove weights
    #pragma hicuda global free bra ket repulsion
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    repel(run.rows, run.columns, (const struct gaussian (*)[PAIRS])run.bra,
          (const struct gaussian (*)[PAIRS])run.ket, run.weights,
          (float (*)[run.columns])run.repulsion);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
