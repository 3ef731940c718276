/*
 * Matrix multiplication in float. The tuned CUDA form.
 *
 * A block computes 128 x 128 elements of c, a thread 8 x 8 of them in registers: for each k it reads
 * eight elements of either matrix, four at a time, and makes 64 products of them. Slabs of both
 * matrices come by asynchronous copies into one of two buffers while the other is used; that of a
 * is turned, so that its columns can be read four at a time, too.
 *
 * usage: matmul_tuned ROWS INNER COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include <cuda_pipeline.h>

#include "matrices.h"

#ifndef SLAB
#define SLAB 16 /* columns of a and rows of b that a block fetches at a time */
#endif
#define TILE 128   /* rows and columns of c that a block computes */
#define HALF 64    /* a thread has four rows, and columns, of either half */
#define THREADS 256
#define PADDING 4  /* keeps the rows apart that a warp writes at once */
#if SLAB < 4 || SLAB > 32 || THREADS % SLAB != 0
#error "a slab has 4, 8, 16 or 32 rows"
#endif

/* What a block has fetched of both matrices. */
struct slab {
    float a[SLAB][TILE + PADDING]; /* a[k][row] */
    float b[SLAB][TILE];
};

/* Begins to copy one element, or zero where there is none. */
__device__ static void fetch_one(float *to, const float *matrix, size_t at, bool inside)
{
    __pipeline_memcpy_async(to, matrix + (inside ? at : 0), sizeof *to, inside ? 0 : sizeof *to);
}

/* Begins to copy the slab from column `first` of a, and row `first` of b, on. */
__device__ static void fetch(struct slab *slab, int rows, int inner, int columns, int first,
                             const float *a, const float *b)
{
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    const int k = threadIdx.x % SLAB;
#pragma unroll
    for (int y = threadIdx.x / SLAB; y < TILE; y += THREADS / SLAB)
        fetch_one(&slab->a[k][y], a, (size_t)(row + y) * inner + first + k,
                  row + y < rows && first + k < inner);
    const int x = threadIdx.x % 32 * 4;
#pragma unroll
    for (int y = threadIdx.x / 32; y < SLAB; y += THREADS / 32) {
        const size_t at = (size_t)(first + y) * columns + column + x;
        if (columns % 4 == 0) {
            const bool inside = first + y < inner && column + x < columns;
            __pipeline_memcpy_async(&slab->b[y][x], b + (inside ? at : 0), 16, inside ? 0 : 16);
        } else {
            for (int j = 0; j < 4; j++)
                fetch_one(&slab->b[y][x + j], b, at + j,
                          first + y < inner && column + x + j < columns);
        }
    }
}

/* Four elements from `low` on and four from HALF further on. */
__device__ static void read_eight(float (&to)[8], const float *low)
{
    const float4 first = *(const float4 *)low, second = *(const float4 *)(low + HALF);
    to[0] = first.x, to[1] = first.y, to[2] = first.z, to[3] = first.w;
    to[4] = second.x, to[5] = second.y, to[6] = second.z, to[7] = second.w;
}

/* c = a b: `a` has `rows` rows of `inner` elements, `b` has `inner` rows of `columns`. */
__global__ void __launch_bounds__(THREADS)
    multiply(int rows, int inner, int columns, const float *__restrict__ a,
             const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ __align__(16) struct slab slabs[2];
    const int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;
    float sum[8][8] = {};

    fetch(&slabs[0], rows, inner, columns, 0, a, b);
    __pipeline_commit();
    for (int first = 0; first < inner; first += SLAB) {
        const struct slab *slab = &slabs[first / SLAB % 2];
        if (first + SLAB < inner)
            fetch(&slabs[(first / SLAB + 1) % 2], rows, inner, columns, first + SLAB, a, b);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SLAB; k++) {
            float of_a[8], of_b[8];
            read_eight(of_a, &slab->a[k][y]);
            read_eight(of_b, &slab->b[k][x]);
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum[i][j] += of_a[i] * of_b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int row = blockIdx.y * TILE + y + i % 4 + i / 4 * HALF;
        if (row >= rows)
            continue;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int column = blockIdx.x * TILE + x + half * HALF;
            float *to = c + (size_t)row * columns + column;
            const float *from = sum[i] + half * 4;
            if (columns % 4 == 0 && column < columns)
                *(float4 *)to = make_float4(from[0], from[1], from[2], from[3]);
            for (int j = 0; j < 4 && columns % 4 != 0; j++)
                if (column + j < columns)
                    to[j] = from[j];
        }
    }
}

static void product(const struct run *run)
{
    const size_t a_count = (size_t)run->rows * run->inner;
    const size_t b_count = (size_t)run->inner * run->columns;
    const size_t c_count = (size_t)run->rows * run->columns;
    const device_array<float> a(run->a, a_count);
    const device_array<float> b(run->b, b_count);
    const device_array<float> c(c_count);
    const dim3 grid(blocks_for(run->columns, TILE), blocks_for(run->rows, TILE));

    device_launch("multiply", [&] {
        multiply<<<grid, THREADS>>>(run->rows, run->inner, run->columns, a, b, c);
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
