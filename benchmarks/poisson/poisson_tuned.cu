/*
 * Poisson's equation on a lattice by Jacobi's method, 19 points in float. The tuned CUDA form.
 *
 * A block goes through PLANES planes of a tile of rows and columns with four of them in shared
 * memory: three are used while the next but one comes by asynchronous copies. The values go to and
 * fro between two arrays whose rims are equal, so that nothing is copied after a step. The residuals
 * are summed up by shuffles, and their sum is read after the last step only.
 *
 * usage: poisson_tuned PLANES ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include <cuda_pipeline.h>

#include "lattice.h"

#ifndef PLANES
#define PLANES 16 /* that a block goes through */
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 8 /* rows of a block */
#endif
#define TILE_COLUMNS 32 /* columns of a block: a warp each row */
#if PLANES < 1 || TILE_ROWS < 1 || TILE_ROWS > 32
#error "a block has 1 to 32 rows"
#endif
#define THREADS (TILE_ROWS * TILE_COLUMNS)
#define HEIGHT (TILE_ROWS + 2) /* with the halo */
#define WIDTH (TILE_COLUMNS + 2)
#define BUFFERS 4

/* The lattices of an equation, of `points` each where there are several. */
struct equation {
    const float *a, *b, *c, *source, *boundary;
    size_t points;
};

/* Begins to copy the block's part of a plane and its halo. */
__device__ static void fetch(float (*tile)[WIDTH], const float *p, int plane, int planes, int rows,
                             int columns)
{
    const int first_row = blockIdx.y * TILE_ROWS, first_column = blockIdx.x * TILE_COLUMNS;
    const int thread = threadIdx.y * TILE_COLUMNS + threadIdx.x;
    for (int at = thread; plane < planes && at < HEIGHT * WIDTH; at += THREADS) {
        const int y = at / WIDTH, x = at % WIDTH;
        if (first_row + y < rows && first_column + x < columns)
            __pipeline_memcpy_async(
                &tile[y][x],
                &p[((size_t)plane * rows + first_row + y) * columns + first_column + x],
                sizeof(float));
    }
    __pipeline_commit();
}

/* Adds the values of all threads of the block to `sum`. */
__device__ static void add(double value, double *sum)
{
    __shared__ double of_warps[TILE_ROWS];
    const int lane = threadIdx.x, warp = threadIdx.y;
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(WHOLE_WARP, value, distance);
    if (lane == 0)
        of_warps[warp] = value;
    __syncthreads();
    if (lane == 0 && warp == 0) {
        for (int other = 1; other < TILE_ROWS; other++)
            value += of_warps[other];
        atomicAdd(sum, value);
    }
}

/* A step for the points inside: `next` from `p`. Adds the sum of the squared residuals to `gosa`. */
__global__ void __launch_bounds__(THREADS)
    relax(int planes, int rows, int columns, const struct equation of,
          const float *__restrict__ p, float *__restrict__ next, double *__restrict__ gosa)
{
    __shared__ float tiles[BUFFERS][HEIGHT][WIDTH];
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const int j = blockIdx.y * TILE_ROWS + y, k = blockIdx.x * TILE_COLUMNS + x;
    const int first = 1 + blockIdx.z * PLANES, end = min(first + PLANES, planes - 1);
    const bool inside = j < rows - 1 && k < columns - 1;
    double squares = 0.0;

    for (int plane = first - 1; plane <= first + 1; plane++)
        fetch(tiles[plane % BUFFERS], p, plane, planes, rows, columns);
    for (int i = first; i < end; i++) { /* as many rounds for the whole block */
        fetch(tiles[(i + 2) % BUFFERS], p, i + 2, planes, rows, columns);
        __pipeline_wait_prior(1);
        __syncthreads();
        if (inside) {
            const float (*behind)[WIDTH] = tiles[(i + 1) % BUFFERS];
            const float (*here)[WIDTH] = tiles[i % BUFFERS];
            const float (*before)[WIDTH] = tiles[(i - 1) % BUFFERS];
            const size_t at = ((size_t)i * rows + j) * columns + k;
            const float sum =
                of.a[at] * behind[y][x] + of.a[of.points + at] * here[y + 1][x] +
                of.a[2 * of.points + at] * here[y][x + 1] +
                of.b[at] * (behind[y + 1][x] - behind[y - 1][x] - before[y + 1][x] +
                            before[y - 1][x]) +
                of.b[of.points + at] * (here[y + 1][x + 1] - here[y - 1][x + 1] -
                                        here[y + 1][x - 1] + here[y - 1][x - 1]) +
                of.b[2 * of.points + at] * (behind[y][x + 1] - before[y][x + 1] -
                                            behind[y][x - 1] + before[y][x - 1]) +
                of.c[at] * before[y][x] + of.c[of.points + at] * here[y - 1][x] +
                of.c[2 * of.points + at] * here[y][x - 1] + of.source[at];
            const float residual = (sum * of.a[3 * of.points + at] - here[y][x]) * of.boundary[at];
            squares += (double)(residual * residual);
            next[at] = here[y][x] + OMEGA * residual;
        }
        __syncthreads();
    }
    add(squares, gosa);
}

/* All steps on the device. Returns the sum of the squared residuals of the last. */
static double solve(const struct run *run)
{
    const size_t points = run_points(run);
    const device_array<float> a(run->a, 4 * points), b(run->b, 3 * points), c(run->c, 3 * points);
    const device_array<float> source(run->source, points), boundary(run->boundary, points);
    device_array<float> p(run->p, points), next(run->p, points);
    device_array<double> sum(1);
    double gosa;
    const struct equation of = {a, b, c, source, boundary, points};
    const dim3 block(TILE_COLUMNS, TILE_ROWS);
    const dim3 grid(blocks_for(max(run->columns - 2, 1), TILE_COLUMNS),
                    blocks_for(max(run->rows - 2, 1), TILE_ROWS),
                    blocks_for(max(run->planes - 2, 1), PLANES));

    sum.clear(); /* if there is no step */
    for (int step = 0; step < run->steps; step++) {
        sum.clear();
        device_launch("relax", [&] {
            relax<<<grid, block>>>(run->planes, run->rows, run->columns, of, p, next, sum);
        });
        p.swap(next);
    }
    sum.download(&gosa);
    p.download(run->p);
    return gosa;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    const double gosa = solve(&run);
    run_finish(&run, gosa, clock_seconds() - start);
    return 0;
}
