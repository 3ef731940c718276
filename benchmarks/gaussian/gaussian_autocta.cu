/*
 * Gaussian: a system of linear equations by elimination. CUDA on an array of the host,
 * with blocks that AUTO-CTA chooses.
 *
 * Two launches an unknown: one for the factors, an equation a thread; one that takes the unknown
 * out of the equations after it, a column a thread. Both have fewer threads from unknown to
 * unknown: the blocks that hold them best change on the way.
 *
 * usage: gaussian_autocta (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "system.h"

#ifndef BLOCK
#define BLOCK 512 /* threads of a block where none are chosen, as in Rodinia */
#endif

/* The factors of unknown `k` in the `left` equations after it: they stay where zeros would be. */
__global__ void divide(int left, int size, int k, float *a)
{
    const size_t width = (size_t)size + 1;
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < left)
        a[(k + 1 + row) * width + k] /= a[k * width + k];
}

/* Takes unknown `k` out of the equations after it, in its `columns` behind that of `k`. */
__global__ void subtract(int columns, int size, int k, float *a)
{
    const size_t width = (size_t)size + 1;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    const int j = k + 1 + column;
    for (int i = k + 1; i < size; i++)
        a[i * width + j] -= a[i * width + k] * a[k * width + j];
}

/* Makes the system triangular, on the device. */
static void eliminate(const struct run *run)
{
    const int size = run->size;
    const size_t bytes = run_values(run) * sizeof(float);
    float *a = (float *)malloc(bytes);
    memcpy(a, run->equations, bytes);

    for (int k = 0; k < size - 1; k++) {
        const int left = size - k - 1, columns = left + 1;
#pragma AUTO-CTA left
        divide<<<blocks_for(left, BLOCK), BLOCK>>>(left, size, k, a);
#pragma AUTO-CTA columns
        subtract<<<blocks_for(columns, BLOCK), BLOCK>>>(columns, size, k, a);
        CHECK(cudaGetLastError());
    }
    memcpy(run->equations, a, bytes);
    free(a);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    eliminate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
