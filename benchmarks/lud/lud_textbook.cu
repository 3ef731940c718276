/*
 * LUD: a matrix as the product of a lower and an upper triangular one. The textbook CUDA form.
 *
 * As the fcw form, but that one launch does the tiles to the right of the diagonal and those below:
 * a block has one of each, and half its threads for either.
 *
 * usage: lud_textbook (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "matrix.h"

#ifndef TILE
#define TILE 16 /* rows and columns of a tile */
#endif
#if TILE < 1 || TILE > 32
#error "a block has one thread a coefficient of the tile, 1024 at most"
#endif

/* The tile at the diagonal, from row and column `first`: one block. */
__global__ void __launch_bounds__(TILE *TILE) decompose_diagonal(int size, int first, float *a)
{
    __shared__ float tile[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int steps = min(TILE, size - first);
    const size_t at = (size_t)(first + y) * size + first + x;
    const bool inside = x < steps && y < steps;

    if (inside)
        tile[y][x] = a[at];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        if (inside && y > k && x == k)
            tile[y][k] /= tile[k][k];
        __syncthreads();
        if (inside && y > k && x > k)
            tile[y][x] -= tile[y][k] * tile[k][x];
        __syncthreads();
    }
    if (inside)
        a[at] = tile[y][x];
}

/* The tiles to the right of it become rows of U, a column a thread; those below columns of L. */
__global__ void __launch_bounds__(2 * TILE) go_on(int size, int first, float *a)
{
    __shared__ float diagonal[TILE][TILE], right[TILE][TILE];
    __shared__ float below[TILE][TILE + 1]; /* rows apart from each other: a thread has one */
    const int lane = threadIdx.x % TILE, half = threadIdx.x / TILE;
    const int begin = first + (blockIdx.x + 1) * TILE; /* column and row of the two tiles */

    for (int y = half; y < TILE; y += 2) {
        diagonal[y][lane] = a[(size_t)(first + y) * size + first + lane];
        if (begin + lane < size)
            right[y][lane] = a[(size_t)(first + y) * size + begin + lane];
        if (begin + y < size)
            below[y][lane] = a[(size_t)(begin + y) * size + first + lane];
    }
    __syncthreads();
    if (half == 0 && begin + lane < size)
        for (int i = 1; i < TILE; i++)
            for (int k = 0; k < i; k++)
                right[i][lane] -= diagonal[i][k] * right[k][lane];
    if (half == 1 && begin + lane < size)
        for (int j = 0; j < TILE; j++) {
            for (int k = 0; k < j; k++)
                below[lane][j] -= below[lane][k] * diagonal[k][j];
            below[lane][j] /= diagonal[j][j];
        }
    __syncthreads();
    for (int y = half; y < TILE; y += 2) {
        if (begin + lane < size)
            a[(size_t)(first + y) * size + begin + lane] = right[y][lane];
        if (begin + y < size)
            a[(size_t)(begin + y) * size + first + lane] = below[y][lane];
    }
}

/* All other tiles: what TILE columns of L and rows of U add to the product goes off. */
__global__ void __launch_bounds__(TILE *TILE) subtract(int size, int first, float *a)
{
    __shared__ float left[TILE][TILE], above[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = first + (blockIdx.y + 1) * TILE + y, j = first + (blockIdx.x + 1) * TILE + x;

    if (i < size)
        left[y][x] = a[(size_t)i * size + first + x];
    if (j < size)
        above[y][x] = a[(size_t)(first + y) * size + j];
    __syncthreads();
    if (i < size && j < size) {
        float value = a[(size_t)i * size + j];
        for (int k = 0; k < TILE; k++)
            value -= left[y][k] * above[k][x];
        a[(size_t)i * size + j] = value;
    }
}

/* L and U in the place of their product, on the device. */
static void decompose(const struct run *run)
{
    const int size = run->size;
    const device_array<float> a(run->matrix, run_values(run));
    const dim3 block(TILE, TILE);

    for (int first = 0; first < size; first += TILE) {
        const int left = blocks_for(size - first, TILE) - 1; /* tiles in each direction */
        device_launch("decompose_diagonal",
                      [&] { decompose_diagonal<<<1, block>>>(size, first, a); });
        if (left > 0) {
            device_launch("go_on", [&] { go_on<<<left, 2 * TILE>>>(size, first, a); });
            device_launch("subtract",
                          [&] { subtract<<<dim3(left, left), block>>>(size, first, a); });
        }
    }
    a.download(run->matrix);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    decompose(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
