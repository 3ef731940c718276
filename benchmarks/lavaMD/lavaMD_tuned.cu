/*
 * LavaMD: what particles feel of those in their box and in the 26 boxes around it. The tuned CUDA
 * form.
 *
 * A block has the particles of a box, OWN a thread in registers: what is read from shared memory is
 * of use OWN times. Particles of the boxes around come by asynchronous copies of 16 bytes, TILE at
 * a time, while those before them are at work.
 *
 * usage: lavaMD_tuned PLANES ROWS COLUMNS PARTICLES SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include <cuda_pipeline.h>

#include "particles.h"

#ifndef OWN
#define OWN 2 /* particles of a thread */
#endif
#ifndef BLOCK
#define BLOCK 64 /* threads of a block */
#endif
#ifndef TILE
#define TILE 64 /* particles that a block fetches at a time */
#endif
#if OWN < 1 || TILE < 1 || BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads, of a particle each"
#endif

/* The boxes around one, by which the block goes: which one, and which of its particles are next. */
struct tour {
    int z, y, x, first;
};

/* The extent of everything, and the first and last boxes around the block's own. */
struct space {
    int planes, rows, columns, particles;
    int top, bottom, north, south, west, east;
};

__device__ static struct space space_around(int box, int planes, int rows, int columns,
                                            int particles)
{
    const int plane = box / columns / rows, row = box / columns % rows, column = box % columns;
    struct space space = {planes, rows, columns, particles};
    space.top = max(plane - 1, 0), space.bottom = min(plane + 1, planes - 1);
    space.north = max(row - 1, 0), space.south = min(row + 1, rows - 1);
    space.west = max(column - 1, 0), space.east = min(column + 1, columns - 1);
    return space;
}

/* The next tile of a tour; beyond the last, `z` is. */
__device__ static void go_on(struct tour &tour, const struct space &space)
{
    tour.first += TILE;
    if (tour.first < space.particles)
        return;
    tour.first = 0;
    if (++tour.x <= space.east)
        return;
    tour.x = space.west;
    if (++tour.y <= space.south)
        return;
    tour.y = space.north;
    tour.z++;
}

/* Begins to copy the tour's tile, if it has one. */
__device__ static void fetch(double2 (*others)[2], double *charges_of_others,
                             const struct tour &tour, const struct space &space,
                             const struct vector *places, const double *charges)
{
    const int box = (tour.z * space.rows + tour.y) * space.columns + tour.x;
    const int first = box * space.particles + tour.first;
    const int count = tour.z > space.bottom ? 0 : min(TILE, space.particles - tour.first);
    for (int half = threadIdx.x; half < 2 * count; half += BLOCK)
        __pipeline_memcpy_async(&others[half / 2][half % 2],
                                (const double2 *)(places + first) + half, sizeof(double2));
    for (int j = threadIdx.x; j < count; j += BLOCK)
        __pipeline_memcpy_async(&charges_of_others[j], &charges[first + j], sizeof(double));
    __pipeline_commit();
}

/* What the particles of a box feel of those in the boxes around it, box by box. */
__global__ void __launch_bounds__(BLOCK)
    feel_all(int planes, int rows, int columns, int particles,
             const struct vector *__restrict__ places, const double *__restrict__ charges,
             struct vector *__restrict__ felt)
{
    __shared__ double2 others[2][TILE][2]; /* v and x, y and z */
    __shared__ double charges_of_others[2][TILE];
    const struct space space = space_around(blockIdx.x, planes, rows, columns, particles);
    const int first_own = blockIdx.x * particles;

    for (int begin = 0; begin < particles; begin += OWN * BLOCK) { /* once, if there are enough */
        const int i = begin + threadIdx.x;
        struct vector own[OWN], sum[OWN];
        struct tour here = {space.top, space.north, space.west, 0}, next = here;
#pragma unroll
        for (int k = 0; k < OWN; k++) {
            sum[k] = {0.0, 0.0, 0.0, 0.0};
            own[k] = i + k * BLOCK < particles ? places[first_own + i + k * BLOCK] : sum[k];
        }
        fetch(others[0], charges_of_others[0], here, space, places, charges);
        for (int buffer = 0; here.z <= space.bottom; buffer ^= 1, here = next) {
            go_on(next, space);
            fetch(others[buffer ^ 1], charges_of_others[buffer ^ 1], next, space, places, charges);
            __pipeline_wait_prior(1);
            __syncthreads();
            const int count = min(TILE, particles - here.first);
            for (int j = 0; j < count; j++) {
                const double2 vx = others[buffer][j][0], yz = others[buffer][j][1];
                const struct vector other = {vx.x, vx.y, yz.x, yz.y};
                const double charge = charges_of_others[buffer][j];
#pragma unroll
                for (int k = 0; k < OWN; k++)
                    sum[k] = feel(sum[k], own[k], other, charge);
            }
            __syncthreads();
        }
#pragma unroll
        for (int k = 0; k < OWN; k++)
            if (i + k * BLOCK < particles)
                felt[first_own + i + k * BLOCK] = sum[k];
    }
}

/* What all particles feel, on the device. */
static void simulate(const struct run *run)
{
    const size_t count = run_particles(run);
    const int boxes = run->planes * run->rows * run->columns;
    const device_array<struct vector> places(run->places, count), felt(count);
    const device_array<double> charges(run->charges, count);

    device_launch("feel_all", [&] {
        feel_all<<<boxes, BLOCK>>>(run->planes, run->rows, run->columns, run->particles, places,
                                   charges, felt);
    });
    felt.download(run->felt);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
