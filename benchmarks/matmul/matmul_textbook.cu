/*
 * Matrix multiplication in float. The textbook CUDA form.
 *
 * As the fcw form: a block computes TILE x TILE elements of c, one a thread, and goes along a's rows
 * and b's columns tile by tile.
 *
 * usage: matmul_textbook ROWS INNER COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "matrices.h"

#ifndef TILE
#define TILE 16 /* rows and columns of c that a block computes, and depth of its tiles */
#endif
#if TILE < 1 || TILE * TILE > 1024
#error "a tile has one thread an element, 1024 at most"
#endif

/* c = a b: `a` has `rows` rows of `inner` elements, `b` has `inner` rows of `columns`. */
__global__ void __launch_bounds__(TILE *TILE)
    multiply(int rows, int inner, int columns, const float *__restrict__ a,
             const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x;
    float sum = 0.0f;

    for (int first = 0; first < inner; first += TILE) {
        /* Zeros beyond the edges. */
        tile_a[y][x] = i < rows && first + x < inner ? a[(size_t)i * inner + first + x] : 0.0f;
        tile_b[y][x] = first + y < inner && j < columns ? b[(size_t)(first + y) * columns + j] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    if (i < rows && j < columns)
        c[(size_t)i * columns + j] = sum;
}

static void product(const struct run *run)
{
    const size_t a_count = (size_t)run->rows * run->inner;
    const size_t b_count = (size_t)run->inner * run->columns;
    const size_t c_count = (size_t)run->rows * run->columns;
    const device_array<float> a(run->a, a_count);
    const device_array<float> b(run->b, b_count);
    const device_array<float> c(c_count);
    const dim3 block(TILE, TILE);
    const dim3 grid(blocks_for(run->columns, TILE), blocks_for(run->rows, TILE));

    device_launch("multiply", [&] {
        multiply<<<grid, block>>>(run->rows, run->inner, run->columns, a, b, c);
    });
    c.download(run->c);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    product(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
