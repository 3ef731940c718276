/*
 * Hotspot: how the temperature of a chip develops, by explicit Euler steps. The tuned CUDA form.
 *
 * A launch does DEPTH steps. A warp keeps ROWS rows of 128 cells in registers, four columns a lane,
 * read and written four at a time. Neighbours in a row come from the next lane by a shuffle, those
 * above and below from the same lane's registers; only the outermost rows of each warp go through
 * shared memory, with one barrier a step. Tiles overlap by GHOST columns and DEPTH rows at each
 * edge, which go out of date.
 *
 * usage: hotspot_tuned ROWS COLUMNS STEPS (TEMPERATURES POWERS | --generate SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "chip.h"

#ifndef ROWS
#define ROWS 4 /* rows of a thread */
#endif
#ifndef WARPS
#define WARPS 8 /* warps of a block, one above the other */
#endif
#ifndef DEPTH
#define DEPTH 4 /* steps of a launch */
#endif
#define CELLS 4 /* columns of a thread */
#define GHOST 4 /* columns at each edge: the cells of a lane, so that what others read is aligned */
#define TILE_COLUMNS (32 * CELLS)
#define TILE_ROWS (WARPS * ROWS)
#define INNER_COLUMNS (TILE_COLUMNS - 2 * GHOST)
#define INNER_ROWS (TILE_ROWS - 2 * DEPTH)
#if DEPTH < 1 || DEPTH > GHOST || INNER_ROWS < 1 || WARPS > 32
#error "a tile must be higher than its two ghost zones, and the ghost zone as wide as it is deep"
#endif

/* Four cells of a row; zeros outside the chip. */
__device__ static void fetch(float (&cells)[CELLS], const float *row, bool inside, int column,
                             int columns)
{
    if (inside && column >= 0 && column + CELLS <= columns && columns % CELLS == 0) {
        const float4 all = *(const float4 *)(row + column);
        cells[0] = all.x, cells[1] = all.y, cells[2] = all.z, cells[3] = all.w;
        return;
    }
    for (int k = 0; k < CELLS; k++)
        cells[k] = inside && column + k >= 0 && column + k < columns ? row[column + k] : 0.0f;
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

/* What flows to a cell from its two neighbours in one direction, or the one if it is at the rim. */
__device__ static float flow(bool is_first, bool is_last, float before, float here, float after)
{
    if (is_first)
        return after - here;
    if (is_last)
        return before - here;
    return after + before - 2.0f * here;
}

/* `depth` steps, DEPTH at most: the temperatures `next` from those `now`. No heat leaves at the rim. */
__global__ void __launch_bounds__(32 * WARPS)
    advance(struct chip chip, int rows, int columns, int depth, const float *__restrict__ power,
            const float *__restrict__ now, float *__restrict__ next)
{
    /* The first and last rows of each warp, for odd and even steps. */
    __shared__ float4 top[2][WARPS + 1][32], bottom[2][WARPS + 1][32];
    const int lane = threadIdx.x, warp = threadIdx.y;
    const int column = (int)blockIdx.x * INNER_COLUMNS + lane * CELLS - GHOST;
    const int row = (int)blockIdx.y * INNER_ROWS + warp * ROWS - DEPTH;
    float cells[ROWS][CELLS], heat[ROWS][CELLS];

    for (int r = 0; r < ROWS; r++) {
        const bool inside = row + r >= 0 && row + r < rows;
        const size_t start = inside ? (size_t)(row + r) * columns : 0;
        fetch(cells[r], now + start, inside, column, columns);
        fetch(heat[r], power + start, inside, column, columns);
    }
    for (int parity = 0; parity < 2; parity++) { /* beyond the tile: out of date from the start */
        if (warp == 0)
            bottom[parity][0][lane] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (warp == WARPS - 1)
            top[parity][WARPS][lane] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    for (int step = 0; step < depth; step++) {
        const int parity = step % 2;
        top[parity][warp][lane] = make_float4(cells[0][0], cells[0][1], cells[0][2], cells[0][3]);
        bottom[parity][warp + 1][lane] = make_float4(cells[ROWS - 1][0], cells[ROWS - 1][1],
                                                     cells[ROWS - 1][2], cells[ROWS - 1][3]);
        __syncthreads();
        const float4 above = bottom[parity][warp][lane], below = top[parity][warp + 1][lane];
        const float south_of_all[CELLS] = {below.x, below.y, below.z, below.w};
        float north[CELLS] = {above.x, above.y, above.z, above.w};
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const float first = __shfl_up_sync(WHOLE_WARP, cells[r][CELLS - 1], 1);
            const float last = __shfl_down_sync(WHOLE_WARP, cells[r][0], 1);
            float west = first;
#pragma unroll
            for (int k = 0; k < CELLS; k++) {
                const float here = cells[r][k];
                const float east = k + 1 < CELLS ? cells[r][(k + 1) % CELLS] : last;
                const float south = r + 1 < ROWS ? cells[(r + 1) % ROWS][k] : south_of_all[k];
                const float vertical =
                    flow(row + r == 0, row + r == rows - 1, north[k], here, south);
                const float horizontal =
                    flow(column + k == 0, column + k == columns - 1, west, here, east);
                cells[r][k] = here + chip.rate * (heat[r][k] + vertical * chip.per_row +
                                                  horizontal * chip.per_column +
                                                  (AMBIENT - here) * chip.per_layer);
                north[k] = west = here;
            }
        }
    }
    if (lane * CELLS < GHOST || lane * CELLS >= TILE_COLUMNS - GHOST)
        return;
    for (int r = 0; r < ROWS; r++) {
        const int y = warp * ROWS + r;
        if (y >= DEPTH && y < TILE_ROWS - DEPTH && row + r < rows)
            store(next + (size_t)(row + r) * columns, cells[r], column, columns);
    }
}

/* All steps on the device; `temperature` has the first and gets the last. */
static void simulate(const struct run *run, float *temperature)
{
    const struct chip chip = chip_of(run->rows, run->columns);
    const size_t cells = run_cells(run);
    device_array<float> now(temperature, cells);
    device_array<float> next(cells);
    const device_array<float> power(run->power, cells);
    const dim3 block(32, WARPS);
    const dim3 grid(blocks_for(run->columns, INNER_COLUMNS), blocks_for(run->rows, INNER_ROWS));

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
