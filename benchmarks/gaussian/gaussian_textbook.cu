/*
 * Gaussian: a system of linear equations by elimination. The textbook CUDA form.
 *
 * Two launches an unknown: one for the factors, an equation a thread; one that takes the unknown
 * out of the equations after it, a coefficient a thread.
 *
 * usage: gaussian_textbook (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "system.h"

#ifndef BLOCK
#define BLOCK 256 /* factors of a block */
#endif
#ifndef TILE
#define TILE 16 /* rows and columns of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024 || TILE < 1 || TILE > 32
#error "a block has one thread a coefficient, 1024 at most"
#endif

/* The factors of unknown `k`: they stay where zeros would be. */
__global__ void __launch_bounds__(BLOCK) divide(int size, int k, float *a)
{
    const size_t width = (size_t)size + 1;
    const int i = k + 1 + blockIdx.x * BLOCK + threadIdx.x;
    if (i < size)
        a[i * width + k] /= a[k * width + k];
}

/* Takes unknown `k` out of the equations after it. */
__global__ void __launch_bounds__(TILE *TILE) subtract(int size, int k, float *a)
{
    const size_t width = (size_t)size + 1;
    const int i = k + 1 + blockIdx.y * TILE + threadIdx.y;
    const int j = k + 1 + blockIdx.x * TILE + threadIdx.x;
    if (i < size && j <= size)
        a[i * width + j] -= a[i * width + k] * a[k * width + j];
}

/* Makes the system triangular, on the device. */
static void eliminate(const struct run *run)
{
    const int size = run->size;
    const device_array<float> a(run->equations, run_values(run));
    const dim3 block(TILE, TILE);

    for (int k = 0; k < size - 1; k++) {
        const int left = size - k - 1;
        const dim3 grid(blocks_for(left + 1, TILE), blocks_for(left, TILE));
        device_launch("divide", [&] { divide<<<blocks_for(left, BLOCK), BLOCK>>>(size, k, a); });
        device_launch("subtract", [&] { subtract<<<grid, block>>>(size, k, a); });
    }
    a.download(run->equations);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    eliminate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
