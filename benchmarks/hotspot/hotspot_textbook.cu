/*
 * Hotspot: how the temperature of a chip develops, by explicit Euler steps. The textbook CUDA form.
 *
 * As the fcw form: a launch does DEPTH steps, a block computes TILE x TILE cells in shared memory,
 * one cell a thread, and tiles overlap by the DEPTH cells at each edge that go out of date.
 *
 * usage: hotspot_textbook ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "chip.h"

#ifndef TILE
#define TILE 16 /* rows and columns that a block computes */
#endif
#ifndef DEPTH
#define DEPTH 2 /* steps of a launch */
#endif
#if DEPTH < 1 || TILE <= 2 * DEPTH || TILE * TILE > 1024
#error "a tile must be wider than its two ghost zones, and have 1024 cells at most"
#endif

#define INNER (TILE - 2 * DEPTH)

/* `depth` steps, DEPTH at most: the temperatures `next` from those `now`. No heat leaves at the rim. */
__global__ void __launch_bounds__(TILE *TILE)
    advance(struct chip chip, int rows, int columns, int depth, const float *__restrict__ power,
            const float *__restrict__ now, float *__restrict__ next)
{
    __shared__ float temperature[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = (int)blockIdx.y * INNER + y - DEPTH;
    const int column = (int)blockIdx.x * INNER + x - DEPTH;
    const int i = row * columns + column;
    const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
    /* How far from the nearest edge of the tile: after that many steps out of date. */
    const int margin = min(min(y, TILE - 1 - y), min(x, TILE - 1 - x));
    float heat = 0.0f;

    if (inside) {
        temperature[y][x] = now[i];
        heat = power[i];
    }
    __syncthreads();
    for (int step = 0; step < depth; step++) {
        const bool computes = inside && margin > step;
        float value = 0.0f;
        if (computes) {
            const float here = temperature[y][x];
            float vertical, horizontal;
            if (row == 0)
                vertical = temperature[y + 1][x] - here;
            else if (row == rows - 1)
                vertical = temperature[y - 1][x] - here;
            else
                vertical = temperature[y + 1][x] + temperature[y - 1][x] - 2.0f * here;
            if (column == 0)
                horizontal = temperature[y][x + 1] - here;
            else if (column == columns - 1)
                horizontal = temperature[y][x - 1] - here;
            else
                horizontal = temperature[y][x + 1] + temperature[y][x - 1] - 2.0f * here;
            value = here + chip.rate * (heat + vertical * chip.per_row +
                                        horizontal * chip.per_column +
                                        (AMBIENT - here) * chip.per_layer);
        }
        __syncthreads();
        if (computes)
            temperature[y][x] = value;
        __syncthreads();
    }
    if (inside && margin >= DEPTH)
        next[i] = temperature[y][x];
}

/* All steps on the device; `temperature` has the first and gets the last. */
static void simulate(const struct run *run, float *temperature)
{
    const struct chip chip = chip_of(run->rows, run->columns);
    const size_t cells = run_cells(run);
    device_array<float> now(temperature, cells);
    device_array<float> next(cells);
    const device_array<float> power(run->power, cells);
    const dim3 block(TILE, TILE);
    const dim3 grid(blocks_for(run->columns, INNER), blocks_for(run->rows, INNER));

    for (int step = 0; step < run->steps; step += DEPTH) {
        const int depth = min(DEPTH, run->steps - step);
        device_launch("advance", [&] {
            advance<<<grid, block>>>(chip, run->rows, run->columns, depth, power, now, next);
        });
        now.swap(next);
    }
    now.download(temperature);
}

int main(int argc, char **argv)
{
    const struct run run = chip_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run, run.temperature);
    chip_report(&run, run.temperature, clock_seconds() - start);
    free(run.temperature);
    free(run.power);
    return 0;
}
