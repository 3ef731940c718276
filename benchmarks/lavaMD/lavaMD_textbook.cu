/*
 * LavaMD: what particles feel of those in their box and in the 26 boxes around it. The textbook
 * CUDA form.
 *
 * As the fcw form: a block has the particles of a box, one a thread, and fetches those of one box
 * around after the other into shared memory.
 *
 * usage: lavaMD_textbook PLANES ROWS COLUMNS PARTICLES SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "particles.h"

#ifndef BLOCK
#define BLOCK 128 /* threads of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/* What the particles of a box feel of those in the boxes around it, box by box. */
__global__ void __launch_bounds__(BLOCK)
    feel_all(int planes, int rows, int columns, int particles,
             const struct vector *__restrict__ places, const double *__restrict__ charges,
             struct vector *__restrict__ felt)
{
    extern __shared__ struct vector others[]; /* of one box, and their charges behind them */
    double *const charges_of_others = (double *)(others + particles);
    const int box = blockIdx.x, first_own = box * particles;
    const int plane = box / columns / rows, row = box / columns % rows, column = box % columns;

    for (int begin = 0; begin < particles; begin += BLOCK) { /* once, if there are enough */
        const int i = begin + threadIdx.x;
        struct vector own = {0.0, 0.0, 0.0, 0.0}, sum = own;
        if (i < particles)
            own = places[first_own + i];
        for (int z = max(plane - 1, 0); z < min(plane + 2, planes); z++)
            for (int y = max(row - 1, 0); y < min(row + 2, rows); y++)
                for (int x = max(column - 1, 0); x < min(column + 2, columns); x++) {
                    const int first = ((z * rows + y) * columns + x) * particles;
                    for (int j = threadIdx.x; j < particles; j += BLOCK) {
                        others[j] = places[first + j];
                        charges_of_others[j] = charges[first + j];
                    }
                    __syncthreads();
                    if (i < particles)
                        for (int j = 0; j < particles; j++)
                            sum = feel(sum, own, others[j], charges_of_others[j]);
                    __syncthreads();
                }
        if (i < particles)
            felt[first_own + i] = sum;
    }
}

/* What all particles feel, on the device. */
static void simulate(const struct run *run)
{
    const size_t count = run_particles(run);
    const int boxes = run->planes * run->rows * run->columns;
    const size_t shared = (size_t)run->particles * (sizeof(struct vector) + sizeof(double));
    const device_array<struct vector> places(run->places, count), felt(count);
    const device_array<double> charges(run->charges, count);

    device_launch("feel_all", [&] {
        feel_all<<<boxes, BLOCK, shared>>>(run->planes, run->rows, run->columns, run->particles,
                                           places, charges, felt);
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
