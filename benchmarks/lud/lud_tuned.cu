/*
 * LUD: a matrix as the product of a lower and an upper triangular one. The tuned CUDA form.
 *
 * PANEL rows of U and columns of L at a time, in two launches. The first does the tiles to the
 * right of the diagonal, a column a thread, and those below it, a row a thread, all in registers. The
 * second takes what they add to the product off the rest: a lane has ROWS rows of COLUMNS columns,
 * 32 apart, in registers; what it takes of L and U comes by asynchronous copies while its
 * coefficients are read. The block that has the next tile at the diagonal also decomposes it, one
 * warp by shuffles, while the others are still at work.
 *
 * Each coefficient goes through the steps of the serial form in their order.
 *
 * usage: lud_tuned (--matrix FILE | --generate SIZE SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include <cuda_pipeline.h>

#include "matrix.h"

#ifndef ROWS
#define ROWS 8 /* of a thread */
#endif
#ifndef WARPS
#define WARPS 8 /* of a block, one above the other */
#endif
#define PANEL 32   /* rows of U and columns of L at a time, a lane each */
#define COLUMNS 4  /* of a thread */
#define TILE_ROWS (WARPS * ROWS)
#define TILE_COLUMNS (32 * COLUMNS)
#define EDGE 128   /* columns to the right, or rows below, of a block, and its threads */
#define PADDING 4  /* keeps rows apart that a warp writes at once */
#if ROWS % 4 != 0 || WARPS > 32 || TILE_ROWS < PANEL
#error "a block has the next tile at the diagonal, and reads L by fours"
#endif

/*
 * One warp decomposes the tile at the diagonal, from row and column `first`: a row a lane. What of
 * it lies beyond the matrix has no effect on the rest.
 */
__device__ static void decompose_diagonal(int size, int first, float (*tile)[PANEL + 1], float *a)
{
    const size_t width = (size_t)size;
    const int lane = threadIdx.x;
    float row[PANEL];

#pragma unroll
    for (int j = 0; j < PANEL; j++)
        row[j] = tile[lane][j];
#pragma unroll
    for (int k = 0; k < PANEL; k++) {
        const float pivot = __shfl_sync(WHOLE_WARP, row[k], k);
        if (lane > k)
            row[k] /= pivot;
#pragma unroll
        for (int j = k + 1; j < PANEL; j++) {
            const float above = __shfl_sync(WHOLE_WARP, row[j], k);
            if (lane > k)
                row[j] -= row[k] * above;
        }
    }
#pragma unroll
    for (int j = 0; j < PANEL; j++)
        tile[lane][j] = row[j];
    __syncwarp();
    for (int i = 0; i < PANEL && first + i < size; i++)
        if (first + lane < size)
            a[(first + i) * width + first + lane] = tile[i][lane];
}

/* The first tile at the diagonal: one warp. */
__global__ void __launch_bounds__(32) begin(int size, float *a)
{
    __shared__ float tile[PANEL][PANEL + 1];
    const size_t width = (size_t)size;
    const int lane = threadIdx.x;
    for (int i = 0; i < PANEL; i++)
        tile[i][lane] = i < size && lane < size ? a[i * width + lane] : 0.0f;
    __syncwarp();
    decompose_diagonal(size, 0, tile, a);
}

/* Rows of U: column `j`; `lower[k]` is a column of L at the diagonal. */
__device__ static void go_right(int size, int first, int j, const float (*lower)[PANEL + PADDING],
                                float *a)
{
    const size_t width = (size_t)size;
    float value[PANEL];

    if (j >= size)
        return;
#pragma unroll
    for (int i = 0; i < PANEL; i++)
        value[i] = a[(first + i) * width + j];
#pragma unroll
    for (int k = 0; k < PANEL; k++)
#pragma unroll
        for (int i = k + 1; i < PANEL; i++)
            value[i] -= lower[k][i] * value[k];
#pragma unroll
    for (int i = 1; i < PANEL; i++)
        a[(first + i) * width + j] = value[i];
}

/* Columns of L from row `begin` on; rows are read and written as a whole. */
__device__ static void go_down(int size, int first, int begin,
                               const float (*upper)[PANEL + PADDING],
                               float (*rows)[PANEL + 1], float *a)
{
    const size_t width = (size_t)size;
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    float value[PANEL];

    for (int i = warp; i < EDGE && begin + i < size; i += EDGE / 32)
        rows[i][lane] = a[(begin + i) * width + first + lane];
    __syncthreads();
    if (begin + thread < size) {
#pragma unroll
        for (int j = 0; j < PANEL; j++)
            value[j] = rows[thread][j];
#pragma unroll
        for (int k = 0; k < PANEL; k++) {
            value[k] /= upper[k][k];
#pragma unroll
            for (int j = k + 1; j < PANEL; j++)
                value[j] -= value[k] * upper[k][j];
        }
#pragma unroll
        for (int j = 0; j < PANEL; j++)
            rows[thread][j] = value[j];
    }
    __syncthreads();
    for (int i = warp; i < EDGE && begin + i < size; i += EDGE / 32)
        a[(begin + i) * width + first + lane] = rows[i][lane];
}

/* What is right of the tile at the diagonal, by the first `right` blocks, and below it. */
__global__ void __launch_bounds__(EDGE) go_on(int size, int first, int right, float *a)
{
    __shared__ __align__(16) float diagonal[PANEL][PANEL + PADDING];
    __shared__ float rows[EDGE][PANEL + 1];
    const size_t width = (size_t)size;
    const int thread = threadIdx.x, lane = thread % 32, block = blockIdx.x;
    const int next = first + PANEL;

    for (int i = thread / 32; i < PANEL; i += EDGE / 32)
        *(block < right ? &diagonal[lane][i] : &diagonal[i][lane]) =
            a[(first + i) * width + first + lane];
    __syncthreads();
    if (block < right)
        go_right(size, first, next + block * EDGE + thread, diagonal, a);
    else
        go_down(size, first, next + (block - right) * EDGE, diagonal, rows, a);
}

/* Begins to copy one coefficient, or zero where there is none. */
__device__ static void fetch(float *to, const float *a, size_t at, bool inside)
{
    __pipeline_memcpy_async(to, a + (inside ? at : 0), sizeof *to, inside ? 0 : sizeof *to);
}

/* Takes what the PANEL columns of L and rows of U from `first` on add to the product off. */
__global__ void __launch_bounds__(32 * WARPS) subtract(int size, int first, float *a)
{
    __shared__ __align__(16) float lower[PANEL][TILE_ROWS + PADDING]; /* lower[k][row] */
    __shared__ float upper[PANEL][TILE_COLUMNS], tile[PANEL][PANEL + 1];
    const size_t width = (size_t)size;
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int row = first + PANEL + blockIdx.y * TILE_ROWS; /* the block's first */
    const int column = first + PANEL + blockIdx.x * TILE_COLUMNS;
    const int own = warp * ROWS;
    float value[ROWS][COLUMNS];

    for (int y = warp; y < TILE_ROWS; y += WARPS)
        fetch(&lower[lane][y], a, (row + y) * width + first + lane, row + y < size);
    for (int k = warp; k < PANEL; k += WARPS)
#pragma unroll
        for (int x = lane; x < TILE_COLUMNS; x += 32)
            fetch(&upper[k][x], a, (first + k) * width + column + x, column + x < size);
    __pipeline_commit();
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const int i = row + own + r, j = column + lane + c * 32;
            value[r][c] = i < size && j < size ? a[i * width + j] : 0.0f;
        }
    __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < PANEL; k++)
#pragma unroll
        for (int r = 0; r < ROWS; r += 4) {
            const float4 four = *(const float4 *)&lower[k][own + r];
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                const float other = upper[k][lane + c * 32];
                value[r][c] -= four.x * other;
                value[r + 1][c] -= four.y * other;
                value[r + 2][c] -= four.z * other;
                value[r + 3][c] -= four.w * other;
            }
        }
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            const int i = row + own + r, j = column + lane + c * 32;
            if (i < size && j < size)
                a[i * width + j] = value[r][c];
        }
    if (blockIdx.x != 0 || blockIdx.y != 0)
        return;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (own + r < PANEL)
            tile[own + r][lane] = value[r][0];
    __syncthreads();
    if (warp == 0)
        decompose_diagonal(size, first + PANEL, tile, a);
}

/* L and U in the place of their product, on the device. */
static void decompose(const struct run *run)
{
    const int size = run->size;
    const device_array<float> a(run->matrix, run_values(run));

    device_launch("begin", [&] { begin<<<1, 32>>>(size, a); });
    for (int first = 0; first + PANEL < size; first += PANEL) {
        const int left = size - first - PANEL; /* rows, and columns, beyond the panel */
        const int edges = blocks_for(left, EDGE);
        const dim3 block(32, WARPS);
        const dim3 grid(blocks_for(left, TILE_COLUMNS), blocks_for(left, TILE_ROWS));
        device_launch("go_on", [&] { go_on<<<2 * edges, EDGE>>>(size, first, edges, a); });
        device_launch("subtract", [&] { subtract<<<grid, block>>>(size, first, a); });
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
