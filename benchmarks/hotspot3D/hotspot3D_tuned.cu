/*
 * Hotspot3D: how the temperatures in a stacked chip develop, by explicit Euler steps. The tuned
 * CUDA form.
 *
 * A warp goes through LAYERS layers with ROWS rows of 128 cells of three of them in registers, four
 * columns a lane, read and written four at a time. Neighbours in a row come from the next lane by a
 * shuffle, all others but those around the warp's cells from the same lane's registers: there are
 * no barriers. The layer behind is on its way while the one at hand is computed.
 *
 * usage: hotspot3D_tuned LAYERS ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "chip.h"

#ifndef ROWS
#define ROWS 4 /* rows of a thread */
#endif
#ifndef WARPS
#define WARPS 4 /* warps of a block, one above the other */
#endif
#ifndef LAYERS
#define LAYERS 8 /* layers of a block */
#endif
#define CELLS 4 /* columns of a thread */
#define TILE_COLUMNS (32 * CELLS)
#define TILE_ROWS (WARPS * ROWS)
#if ROWS < 1 || LAYERS < 1 || WARPS < 1 || WARPS > 32
#error "a block has a cell a thread, and 1024 threads at most"
#endif

/* Four cells of a row; zeros outside the chip. */
__device__ static void fetch(float (&cells)[CELLS], const float *row, bool inside, int column,
                             int columns)
{
    if (inside && column + CELLS <= columns && columns % CELLS == 0) {
        const float4 all = *(const float4 *)(row + column);
        cells[0] = all.x, cells[1] = all.y, cells[2] = all.z, cells[3] = all.w;
        return;
    }
    for (int k = 0; k < CELLS; k++)
        cells[k] = inside && column + k < columns ? row[column + k] : 0.0f;
}

__device__ static void store(float *row, const float (&cells)[CELLS], int column, int columns)
{
    if (column + CELLS <= columns && columns % CELLS == 0) {
        *(float4 *)(row + column) = make_float4(cells[0], cells[1], cells[2], cells[3]);
        return;
    }
    for (int k = 0; k < CELLS; k++)
        if (column + k < columns)
            row[column + k] = cells[k];
}

/* One step: the temperatures `next` from the temperatures `now`. */
__global__ void __launch_bounds__(32 * WARPS)
    advance(struct chip chip, int layers, int rows, int columns, const float *__restrict__ power,
            const float *__restrict__ now, float *__restrict__ next)
{
    const int lane = threadIdx.x;
    const int column = (int)blockIdx.x * TILE_COLUMNS + lane * CELLS;
    const int row = ((int)blockIdx.y * WARPS + (int)threadIdx.y) * ROWS;
    const int first = blockIdx.z * LAYERS, end = min(first + LAYERS, layers);
    const size_t width = (size_t)columns, height = (size_t)rows;
    float before[ROWS][CELLS], own[ROWS][CELLS], behind[ROWS][CELLS];

    if (row >= rows)
        return; /* the whole warp */
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const float *line = now + (first * height + row + r) * width;
        fetch(own[r], line, row + r < rows, column, columns);
        fetch(before[r], first > 0 ? line - height * width : line, row + r < rows, column, columns);
    }
    for (int layer = first; layer < end; layer++) {
        const float *line = now + (layer * height + row) * width;
        float north[CELLS], south[CELLS];
        fetch(north, line - width, row > 0, column, columns);
        fetch(south, line + ROWS * width, row + ROWS < rows, column, columns);
#pragma unroll
        for (int r = 0; r < ROWS; r++, line += width) {
            const bool inside = row + r < rows;
            const size_t start = (layer * height + row + r) * width;
            float heat[CELLS], result[CELLS];
            fetch(behind[r], layer < layers - 1 ? line + height * width : line, inside, column,
                  columns);
            fetch(heat, power + start, inside, column, columns);
            float west = __shfl_up_sync(WHOLE_WARP, own[r][CELLS - 1], 1);
            float last = __shfl_down_sync(WHOLE_WARP, own[r][0], 1);
            if (inside && lane == 0 && column > 0)
                west = line[column - 1];
            if (inside && lane == 31 && column + CELLS < columns)
                last = line[column + CELLS];
#pragma unroll
            for (int k = 0; k < CELLS; k++) {
                const float here = own[r][k];
                const float above = r > 0 ? own[(r + ROWS - 1) % ROWS][k] : north[k];
                const float below = r + 1 < ROWS ? own[(r + 1) % ROWS][k] : south[k];
                const float east = k + 1 < CELLS ? own[r][(k + 1) % CELLS] : last;
                result[k] = chip_next(chip, here, row + r > 0 ? above : here,
                                      row + r < rows - 1 ? below : here,
                                      column + k > 0 ? west : here,
                                      column + k < columns - 1 ? east : here, before[r][k],
                                      behind[r][k], heat[k]);
                west = here;
            }
            if (inside)
                store(next + start, result, column, columns);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < CELLS; k++) {
                before[r][k] = own[r][k];
                own[r][k] = behind[r][k];
            }
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
    const dim3 block(32, WARPS);
    const dim3 grid(blocks_for(columns, TILE_COLUMNS), blocks_for(rows, TILE_ROWS),
                    blocks_for(layers, LAYERS));

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
