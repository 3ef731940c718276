/*
 * DWT2D: the discrete wavelet transform of an image, by lifting. The textbook CUDA form.
 *
 * As the fcw form: a launch does a level, a block computes TILE x TILE pixels in shared memory, one
 * a thread, and tiles overlap by the EDGE pixels on each side that go out of date.
 *
 * usage: dwt2d_textbook (5/3 | 9/7) LEVELS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "image.h"

#ifndef TILE
#define TILE 32 /* rows and columns that a block computes */
#endif
#define EDGE STEPS_97
#define INNER (TILE - 2 * EDGE)
#if TILE <= 2 * EDGE || TILE > 32
#error "a tile must be wider than its two edges, and have 1024 pixels at most"
#endif

/*
 * One level: of the image in `now` the next one's in `next`, all else in `result`. These may be one
 * array: no place is in both.
 */
__global__ void __launch_bounds__(TILE *TILE)
    advance(int steps, int rows, int columns, int width, const float *__restrict__ now,
            float *__restrict__ next, float *__restrict__ result)
{
    __shared__ float tile[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = (int)blockIdx.y * INNER + y - EDGE;
    const int column = (int)blockIdx.x * INNER + x - EDGE;
    const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
    /* The neighbours, beyond the image in its mirror image. */
    const int above = row > 0 ? y - 1 : y + 1, below = row < rows - 1 ? y + 1 : y - 1;
    const int left = column > 0 ? x - 1 : x + 1, right = column < columns - 1 ? x + 1 : x - 1;

    if (inside)
        tile[y][x] = now[(size_t)row * width + column];
    __syncthreads();
    for (int step = 0; step < steps && rows > 1; step++) {
        if (inside && row % 2 != step % 2 && y > 0 && y < TILE - 1)
            tile[y][x] = lift(steps, step, tile[y][x], tile[above][x] + tile[below][x]);
        __syncthreads();
    }
    for (int step = 0; step < steps && columns > 1; step++) {
        if (inside && column % 2 != step % 2 && x > 0 && x < TILE - 1)
            tile[y][x] = lift(steps, step, tile[y][x], tile[y][left] + tile[y][right]);
        __syncthreads();
    }
    if (inside && y >= EDGE && y < TILE - EDGE && x >= EDGE && x < TILE - EDGE) {
        const float value = tile[y][x] * gain(steps, rows, row) * gain(steps, columns, column);
        if (is_coarse(row, column))
            next[(size_t)(row / 2) * width + column / 2] = value;
        else
            result[(size_t)place_of(rows, row) * width + place_of(columns, column)] = value;
    }
}

/* All levels on the device, the image of each in `now` or `next`, which take turns. */
static void transform(const struct run *run, float *values)
{
    const size_t pixels = run_pixels(run);
    const int width = run->columns;
    device_array<float> now(run->pixels, pixels), next(pixels);
    const device_array<float> result(pixels);
    const dim3 block(TILE, TILE);
    int rows = run->rows, columns = run->columns;

    for (int level = 1; level <= run->levels; level++) {
        const dim3 grid(blocks_for(columns, INNER), blocks_for(rows, INNER));
        float *const coarse = level < run->levels ? next : result;
        device_launch("advance", [&] {
            advance<<<grid, block>>>(run->steps, rows, columns, width, now, coarse, result);
        });
        now.swap(next);
        rows = half_of(rows);
        columns = half_of(columns);
    }
    result.download(values);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    float *result = grid_allocate(run_pixels(&run));
    const double start = clock_seconds();
    transform(&run, result);
    run_report(&run, result, clock_seconds() - start);
    free(run.pixels);
    free(result);
    return 0;
}
