/*
 * SRAD: smooths a speckled image by diffusion that stops at edges. CUDA with blocks that AUTO-CTA
 * chooses.
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
__global__ void measure(int columns, int rows, const float *__restrict__ now,
                        struct sums *__restrict__ sums)
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
__global__ void find_coefficients(int pixels, int rows, int columns, float uneven,
                                  const float *__restrict__ now, float *__restrict__ coefficient)
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
__global__ void diffuse(int pixels, int rows, int columns, const float *__restrict__ now,
                        const float *__restrict__ coefficient, float *__restrict__ next)
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
    const int blocks = blocks_for(pixels, BLOCK);
    device_array<float> now(intensities, (size_t)pixels);
    device_array<float> coefficient((size_t)pixels), next((size_t)pixels);
    device_array<struct sums> device_sums(1);
    struct sums sums;

    for (int step = 0; step < run->steps; step++) {
        device_sums.clear();
        device_launch("measure", [&] {
#pragma AUTO-CTA columns
            measure<<<blocks_for(columns, BLOCK), BLOCK>>>(columns, rows, now, device_sums);
        });
        device_sums.download(&sums);
        const float uneven = unevenness((size_t)pixels, sums.of_values, sums.of_squares);
        device_launch("find_coefficients", [&] {
#pragma AUTO-CTA pixels
            find_coefficients<<<blocks, BLOCK>>>(pixels, rows, columns, uneven, now, coefficient);
        });
        device_launch("diffuse", [&] {
#pragma AUTO-CTA pixels
            diffuse<<<blocks, BLOCK>>>(pixels, rows, columns, now, coefficient, next);
        });
        now.swap(next);
    }
    now.download(intensities);
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
