/*
 * Poisson's equation on a lattice by Jacobi's method, 19 points in float. The textbook CUDA form.
 *
 * As the fcw form: a block fetches its points and a halo of one point around them into shared memory,
 * and each thread computes one point. The residuals are summed up by a tree in each block.
 *
 * usage: poisson_textbook PLANES ROWS COLUMNS STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "lattice.h"

#ifndef TILE_PLANES
#define TILE_PLANES 2 /* planes of a block */
#endif
#ifndef TILE_ROWS
#define TILE_ROWS 4 /* rows of a block */
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 32 /* columns of a block */
#endif
#if TILE_PLANES < 1 || TILE_ROWS < 1 || TILE_COLUMNS < 1
#error "a tile has a point at least"
#endif
#if TILE_PLANES * TILE_ROWS * TILE_COLUMNS > 1024
#error "a block has one thread a point, 1024 at most"
#endif
#define THREADS (TILE_PLANES * TILE_ROWS * TILE_COLUMNS)

/* The lattices of an equation, of `points` each where there are several. */
struct equation {
    const float *a, *b, *c, *source, *boundary;
    size_t points;
};

/* A step for the points inside: `next` from `p`. Adds the sum of the squared residuals to `gosa`. */
__global__ void __launch_bounds__(THREADS)
    relax(int planes, int rows, int columns, const struct equation of,
          const float *__restrict__ p, float *__restrict__ next, double *__restrict__ gosa)
{
    __shared__ float tile[TILE_PLANES + 2][TILE_ROWS + 2][TILE_COLUMNS + 2];
    __shared__ double squares[THREADS];
    const int thread = (threadIdx.z * TILE_ROWS + threadIdx.y) * TILE_COLUMNS + threadIdx.x;
    const int first_i = blockIdx.z * TILE_PLANES, first_j = blockIdx.y * TILE_ROWS;
    const int first_k = blockIdx.x * TILE_COLUMNS;
    const int x = threadIdx.x + 1, y = threadIdx.y + 1, z = threadIdx.z + 1;
    const int i = first_i + z, j = first_j + y, k = first_k + x;

    const int width = TILE_COLUMNS + 2, height = TILE_ROWS + 2;
    for (int at = thread; at < (TILE_PLANES + 2) * height * width; at += THREADS) {
        const int fetched_k = at % width, fetched_j = at / width % height;
        const int fetched_i = at / width / height;
        if (first_i + fetched_i < planes && first_j + fetched_j < rows &&
            first_k + fetched_k < columns)
            tile[fetched_i][fetched_j][fetched_k] =
                p[((size_t)(first_i + fetched_i) * rows + first_j + fetched_j) * columns + first_k +
                  fetched_k];
    }
    __syncthreads();
    squares[thread] = 0.0;
    if (i < planes - 1 && j < rows - 1 && k < columns - 1) {
        const size_t at = ((size_t)i * rows + j) * columns + k;
        const float sum =
            of.a[at] * tile[z + 1][y][x] + of.a[of.points + at] * tile[z][y + 1][x] +
            of.a[2 * of.points + at] * tile[z][y][x + 1] +
            of.b[at] * (tile[z + 1][y + 1][x] - tile[z + 1][y - 1][x] - tile[z - 1][y + 1][x] +
                        tile[z - 1][y - 1][x]) +
            of.b[of.points + at] * (tile[z][y + 1][x + 1] - tile[z][y - 1][x + 1] -
                                    tile[z][y + 1][x - 1] + tile[z][y - 1][x - 1]) +
            of.b[2 * of.points + at] * (tile[z + 1][y][x + 1] - tile[z - 1][y][x + 1] -
                                        tile[z + 1][y][x - 1] + tile[z - 1][y][x - 1]) +
            of.c[at] * tile[z - 1][y][x] + of.c[of.points + at] * tile[z][y - 1][x] +
            of.c[2 * of.points + at] * tile[z][y][x - 1] + of.source[at];
        const float residual =
            (sum * of.a[3 * of.points + at] - tile[z][y][x]) * of.boundary[at];
        squares[thread] = (double)(residual * residual);
        next[at] = tile[z][y][x] + OMEGA * residual;
    }
    for (int left = THREADS; left > 1; left = (left + 1) / 2) {
        const int half = (left + 1) / 2; /* the middle one of an odd number waits */
        __syncthreads();
        if (thread + half < left)
            squares[thread] += squares[thread + half];
    }
    if (thread == 0)
        atomicAdd(gosa, squares[0]);
}

/* The step's points become the current ones. */
__global__ void __launch_bounds__(THREADS)
    update(int planes, int rows, int columns, const float *__restrict__ next,
           float *__restrict__ p)
{
    const int i = blockIdx.z * TILE_PLANES + threadIdx.z + 1;
    const int j = blockIdx.y * TILE_ROWS + threadIdx.y + 1;
    const int k = blockIdx.x * TILE_COLUMNS + threadIdx.x + 1;
    const size_t at = ((size_t)i * rows + j) * columns + k;
    if (i < planes - 1 && j < rows - 1 && k < columns - 1)
        p[at] = next[at];
}

/* All steps on the device. Returns the sum of the squared residuals of the last. */
static double solve(const struct run *run)
{
    const size_t points = run_points(run);
    const device_array<float> a(run->a, 4 * points), b(run->b, 3 * points), c(run->c, 3 * points);
    const device_array<float> source(run->source, points), boundary(run->boundary, points);
    const device_array<float> p(run->p, points), next(points);
    device_array<double> sum(1);
    double gosa = 0.0;
    const struct equation of = {a, b, c, source, boundary, points};
    const dim3 block(TILE_COLUMNS, TILE_ROWS, TILE_PLANES);
    const dim3 grid(blocks_for(max(run->columns - 2, 1), TILE_COLUMNS),
                    blocks_for(max(run->rows - 2, 1), TILE_ROWS),
                    blocks_for(max(run->planes - 2, 1), TILE_PLANES));

    for (int step = 0; step < run->steps; step++) {
        sum.clear();
        device_launch("relax", [&] {
            relax<<<grid, block>>>(run->planes, run->rows, run->columns, of, p, next, sum);
        });
        sum.download(&gosa);
        device_launch("update", [&] {
            update<<<grid, block>>>(run->planes, run->rows, run->columns, next, p);
        });
    }
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
