/*
 * SRAD: smooths a speckled image by diffusion that stops at edges. The textbook CUDA form.
 *
 * As the fcw form: a block fetches its pixels and a halo of one into shared memory, one pixel a
 * thread, computes their coefficients, which exist there only, and with them the pixels but for the
 * last row and column, whose flow needs the next tile's coefficients. So tiles overlap by one pixel.
 * The sums for the unevenness are found by a tree in each block before.
 *
 * usage: srad_textbook STEPS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "image.h"

#ifndef TILE
#define TILE 16 /* rows and columns of a tile */
#endif
#ifndef BLOCK
#define BLOCK 256 /* pixels that a block sums up, and its threads */
#endif
#if TILE < 2 || TILE > 32
#error "a tile has a pixel besides those that overlap, and 1024 at most"
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has one thread a pixel, 1024 at most"
#endif
#define INNER (TILE - 1)
#define WIDTH (TILE + 2) /* with the halo */

/* Sums of the intensities of an image, and of their squares. */
struct sums {
    double of_values, of_squares;
};

/* Adds the sums of all intensities to `sums`. */
__global__ void __launch_bounds__(BLOCK)
    measure(int pixels, const float *__restrict__ now, struct sums *__restrict__ sums)
{
    __shared__ double values[BLOCK], squares[BLOCK];
    const int thread = threadIdx.x, i = blockIdx.x * BLOCK + thread;
    const float here = i < pixels ? now[i] : 0.0f;

    values[thread] = here;
    squares[thread] = here * here;
    for (int width = BLOCK; width > 1; width = (width + 1) / 2) {
        const int half = (width + 1) / 2; /* the middle one of an odd number waits */
        __syncthreads();
        if (thread + half < width) {
            values[thread] += values[thread + half];
            squares[thread] += squares[thread + half];
        }
    }
    if (thread == 0) {
        atomicAdd(&sums->of_values, values[0]);
        atomicAdd(&sums->of_squares, squares[0]);
    }
}

/*
 * One step: the intensities `next` from the intensities `now`. A pixel at the rim is its own
 * neighbour.
 */
__global__ void __launch_bounds__(TILE *TILE)
    diffuse(int rows, int columns, float uneven, const float *__restrict__ now,
            float *__restrict__ next)
{
    __shared__ float tile[WIDTH][WIDTH], coefficient[TILE][TILE];
    const int first_row = blockIdx.y * INNER, first_column = blockIdx.x * INNER;
    const int y = threadIdx.y, x = threadIdx.x;
    const int row = first_row + y, column = first_column + x;
    const bool inside = row < rows && column < columns;
    float here = 0.0f, north = 0.0f, south = 0.0f, west = 0.0f, east = 0.0f;

    for (int i = y * TILE + x; i < WIDTH * WIDTH; i += TILE * TILE) {
        const int r = first_row + i / WIDTH - 1, c = first_column + i % WIDTH - 1;
        if (r >= 0 && r < rows && c >= 0 && c < columns)
            tile[i / WIDTH][i % WIDTH] = now[(size_t)r * columns + c];
    }
    __syncthreads();
    if (inside) { /* what the neighbours have more */
        here = tile[y + 1][x + 1];
        north = tile[row > 0 ? y : y + 1][x + 1] - here;
        south = tile[row < rows - 1 ? y + 2 : y + 1][x + 1] - here;
        west = tile[y + 1][column > 0 ? x : x + 1] - here;
        east = tile[y + 1][column < columns - 1 ? x + 2 : x + 1] - here;
        coefficient[y][x] = diffusion(here, north, south, west, east, uneven);
    }
    __syncthreads();
    if (inside && y < INNER && x < INNER) {
        const float own = coefficient[y][x];
        const float flow = own * north + coefficient[row < rows - 1 ? y + 1 : y][x] * south +
                           own * west + coefficient[y][column < columns - 1 ? x + 1 : x] * east;
        next[(size_t)row * columns + column] = here + 0.25f * LAMBDA * flow;
    }
}

/* All steps on the device; `intensities` has the first and gets the last. */
static void simulate(const struct run *run, float *intensities)
{
    const size_t pixels = run_pixels(run);
    device_array<float> now(intensities, pixels);
    device_array<float> next(pixels);
    device_array<struct sums> device_sums(1);
    struct sums sums;
    const dim3 block(TILE, TILE);
    const dim3 grid(blocks_for(run->columns, INNER), blocks_for(run->rows, INNER));

    for (int step = 0; step < run->steps; step++) {
        device_sums.clear();
        device_launch("measure", [&] {
            measure<<<blocks_for((int)pixels, BLOCK), BLOCK>>>((int)pixels, now, device_sums);
        });
        device_sums.download(&sums);
        const float uneven = unevenness(pixels, sums.of_values, sums.of_squares);
        device_launch("diffuse", [&] {
            diffuse<<<grid, block>>>(run->rows, run->columns, uneven, now, next);
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
