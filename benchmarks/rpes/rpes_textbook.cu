/*
 * Repulsion of the electrons of two molecules, by Rys' quadrature. The textbook CUDA form.
 *
 * A block has TILE x TILE integrals, one a thread, and the Gaussians that these are of in shared
 * memory; the polynomials stand in constant memory.
 *
 * usage: rpes_textbook SHELLS SHELLS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "shells.h"

#ifndef TILE
#define TILE 16 /* rows and columns of integrals that a block computes */
#endif
#if TILE < 1 || TILE * TILE > 1024
#error "a tile has one thread an integral, 1024 at most"
#endif

__constant__ struct weights polynomials;

/* The repulsion of each pair of shells of one molecule and each of the other. */
__global__ void __launch_bounds__(TILE *TILE)
    repel(int rows, int columns, const struct gaussian *__restrict__ bra,
          const struct gaussian *__restrict__ ket, float *__restrict__ repulsion)
{
    __shared__ struct gaussian own_bra[TILE][PAIRS], own_ket[TILE][PAIRS];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sum = 0.0f;

    for (int n = y * TILE + x; n < TILE * PAIRS; n += TILE * TILE) {
        if (row * PAIRS + n < rows * PAIRS)
            own_bra[n / PAIRS][n % PAIRS] = bra[row * PAIRS + n];
        if (column * PAIRS + n < columns * PAIRS)
            own_ket[n / PAIRS][n % PAIRS] = ket[column * PAIRS + n];
    }
    __syncthreads();
    if (row + y >= rows || column + x >= columns)
        return;
    for (int p = 0; p < PAIRS; p++)
        for (int q = 0; q < PAIRS; q++)
            sum += gaussian_repulsion(own_bra[y][p], own_ket[x][q], &polynomials);
    repulsion[(size_t)(row + y) * columns + column + x] = sum;
}

static void repulsions(const struct run *run)
{
    const size_t rows = (size_t)run->rows, columns = (size_t)run->columns;
    const device_array<struct gaussian> bra(run->bra, rows * PAIRS);
    const device_array<struct gaussian> ket(run->ket, columns * PAIRS);
    const device_array<float> repulsion(rows * columns);
    const dim3 block(TILE, TILE);
    const dim3 grid(blocks_for(run->columns, TILE), blocks_for(run->rows, TILE));

    device_constant(polynomials, &run->weights, sizeof run->weights);
    device_launch("repel", [&] {
        repel<<<grid, block>>>(run->rows, run->columns, bra, ket, repulsion);
    });
    repulsion.download(run->repulsion);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    repulsions(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
