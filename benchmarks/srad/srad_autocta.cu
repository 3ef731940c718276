/*
 * SRAD: smooths a speckled image by diffusion that stops at edges. CUDA on the host's arrays, with
 * blocks that AUTO-CTA chooses.
 *
 * The loops of the serial form as kernels: the sums for the unevenness, a column a thread; the
 * coefficients and what flows by them, a pixel a thread.
 *
 * usage: srad_autocta STEPS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "image.h"

#ifndef BLOCK
#define BLOCK 512 /* threads of a block where none are chosen, as in Rodinia */
#endif

/* Sums of the intensities of an image, and of their squares. */
struct sums {
    double of_values, of_squares;
};

/* Adds the sums of all intensities to `sums`. */
__global__ void measure(int columns, int rows, const float *now, struct sums *sums)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    double values = 0.0, squares = 0.0;
    for (int row = 0; row < rows; row++) {
        const float here = now[(size_t)row * columns + column];
        values += here;
        squares += here * here;
    }
    atomicAdd(&sums->of_values, values);
    atomicAdd(&sums->of_squares, squares);
}

/* The coefficient of each pixel. A pixel at the rim is its own neighbour. */
__global__ void find_coefficients(int pixels, int rows, int columns, float uneven, const float *now,
                                  float *coefficient)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels)
        return;
    const int row = i / columns, column = i % columns;
    const float here = now[i];
    coefficient[i] = diffusion(here, now[row > 0 ? i - columns : i] - here,
                               now[row < rows - 1 ? i + columns : i] - here,
                               now[column > 0 ? i - 1 : i] - here,
                               now[column < columns - 1 ? i + 1 : i] - here, uneven);
}

/*
 * The intensities `next` from the intensities `now`. Flow to the south and the east goes by the
 * coefficient of the neighbour.
 */
__global__ void diffuse(int pixels, int rows, int columns, const float *now, const float *coefficient,
                        float *next)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels)
        return;
    const int row = i / columns, column = i % columns;
    const int south = row < rows - 1 ? i + columns : i, east = column < columns - 1 ? i + 1 : i;
    const float here = now[i], own = coefficient[i];
    const float flow = own * (now[row > 0 ? i - columns : i] - here) +
                       coefficient[south] * (now[south] - here) +
                       own * (now[column > 0 ? i - 1 : i] - here) +
                       coefficient[east] * (now[east] - here);
    next[i] = here + 0.25f * LAMBDA * flow;
}

/* All steps on the device; `intensities` has the first and gets the last. */
static void simulate(const struct run *run, float *intensities)
{
    const int rows = run->rows, columns = run->columns, pixels = rows * columns;
    const size_t bytes = (size_t)pixels * sizeof(float);
    float *now = (float *)malloc(bytes), *next = (float *)malloc(bytes);
    float *coefficient = (float *)malloc(bytes);
    struct sums sums[1];
    memcpy(now, intensities, bytes);

    for (int step = 0; step < run->steps; step++) {
        memset(sums, 0, sizeof sums);
#pragma AUTO-CTA columns
        measure<<<blocks_for(columns, BLOCK), BLOCK>>>(columns, rows, now, sums);
        const float uneven = unevenness((size_t)pixels, sums[0].of_values, sums[0].of_squares);
#pragma AUTO-CTA pixels
        find_coefficients<<<blocks_for(pixels, BLOCK), BLOCK>>>(pixels, rows, columns, uneven, now,
                                                                coefficient);
#pragma AUTO-CTA pixels
        diffuse<<<blocks_for(pixels, BLOCK), BLOCK>>>(pixels, rows, columns, now, coefficient, next);
        CHECK(cudaGetLastError());
        float *swap = now;
        now = next;
        next = swap;
    }
    memcpy(intensities, now, bytes);
    free(now);
    free(next);
    free(coefficient);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run, run.intensities);
    run_report(&run, run.intensities, clock_seconds() - start);
    free(run.intensities);
    return 0;
}
