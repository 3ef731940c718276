/*
 * Hotspot3D: how the temperatures in a stacked chip develop, by explicit Euler steps. The textbook
 * CUDA form.
 *
 * As the fcw form: a block goes through the layers, a column of cells a thread, with its cells of
 * the layer at hand in shared memory. Each thread puts its own there, those at the edges of the block
 * fetch the halo.
 *
 * usage: hotspot3D_textbook LAYERS ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED)
 *                           [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "chip.h"

#ifndef TILE_ROWS
#define TILE_ROWS 8 /* rows of a block */
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 32 /* columns of a block */
#endif
#if TILE_ROWS < 1 || TILE_COLUMNS < 1 || TILE_ROWS * TILE_COLUMNS > 1024
#error "a block has one thread a cell of a layer, 1024 at most"
#endif

/* One step: the temperatures `next` from the temperatures `now`. */
__global__ void __launch_bounds__(TILE_ROWS *TILE_COLUMNS)
    advance(struct chip chip, int layers, int rows, int columns, const float *__restrict__ power,
            const float *__restrict__ now, float *__restrict__ next)
{
    __shared__ float tile[TILE_ROWS + 2][TILE_COLUMNS + 2];
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    const int row = blockIdx.y * TILE_ROWS + threadIdx.y;
    const int column = blockIdx.x * TILE_COLUMNS + threadIdx.x;
    const bool inside = row < rows && column < columns;
    const size_t cells = (size_t)rows * columns; /* of a layer */
    size_t at = (size_t)row * columns + column;
    float own = inside ? now[at] : 0.0f, before = own;

    for (int layer = 0; layer < layers; layer++, at += cells) {
        float behind = own;
        if (inside) {
            tile[y][x] = own;
            if (y == 1 && row > 0)
                tile[0][x] = now[at - columns];
            if (y == TILE_ROWS && row < rows - 1)
                tile[TILE_ROWS + 1][x] = now[at + columns];
            if (x == 1 && column > 0)
                tile[y][0] = now[at - 1];
            if (x == TILE_COLUMNS && column < columns - 1)
                tile[y][TILE_COLUMNS + 1] = now[at + 1];
            if (layer < layers - 1)
                behind = now[at + cells];
        }
        __syncthreads();
        if (inside)
            next[at] = chip_next(chip, own, tile[row > 0 ? y - 1 : y][x],
                                 tile[row < rows - 1 ? y + 1 : y][x],
                                 tile[y][column > 0 ? x - 1 : x],
                                 tile[y][column < columns - 1 ? x + 1 : x], before, behind,
                                 power[at]);
        __syncthreads();
        before = own;
        own = behind;
    }
}

/* All steps on the device; `temperature` has the first and gets the last. */
static void simulate(const struct run *run, float *temperature)
{
    const int layers = run->layers, rows = run->rows, columns = run->columns;
    const struct chip chip = chip_of(layers, rows, columns);
    const size_t cells = run_cells(run);
    device_array<float> now(temperature, cells);
    device_array<float> next(cells);
    const device_array<float> power(run->power, cells);
    const dim3 block(TILE_COLUMNS, TILE_ROWS);
    const dim3 grid(blocks_for(columns, TILE_COLUMNS), blocks_for(rows, TILE_ROWS));

    for (int step = 0; step < run->steps; step++) {
        device_launch("advance", [&] {
            advance<<<grid, block>>>(chip, layers, rows, columns, power, now, next);
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
