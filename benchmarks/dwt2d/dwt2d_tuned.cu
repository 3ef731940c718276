/*
 * DWT2D: the discrete wavelet transform of an image, by lifting. The tuned CUDA form.
 *
 * A launch does a level. A warp goes down 128 columns, four a lane, two rows at a time, and has all
 * it needs in registers: steps along a column go on from the rows before, steps along a row get
 * neighbours from the next lane by a shuffle. There are no barriers and no shared memory. Warps
 * overlap by a lane on either side, and begin BEFORE pairs of rows above their own.
 *
 * usage: dwt2d_tuned (5/3 | 9/7) LEVELS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "image.h"

#ifndef PAIRS
#define PAIRS 32 /* pairs of rows of a warp */
#endif
#ifndef WARPS
#define WARPS 4 /* of a block, one above the other */
#endif
#define CELLS 4 /* columns of a thread */
#define INNER (30 * CELLS) /* columns that a warp computes */
#define BEFORE 2 /* pairs of rows above its own that a warp begins with */
#if PAIRS < 1 || WARPS < 1 || WARPS > 32
#error "a block has 1 to 32 warps"
#endif

/* Four samples of a row; zeros outside the image. */
__device__ static void fetch(float (&cells)[CELLS], const float *row, bool inside, int column,
                             int columns, int width)
{
    if (inside && column >= 0 && column + CELLS <= columns && width % CELLS == 0) {
        const float4 all = *(const float4 *)(row + column);
        cells[0] = all.x, cells[1] = all.y, cells[2] = all.z, cells[3] = all.w;
        return;
    }
    for (int k = 0; k < CELLS; k++)
        cells[k] = inside && column + k >= 0 && column + k < columns ? row[column + k] : 0.0f;
}

/* The sum of a sample's neighbours in a line; beyond its ends is its mirror image. */
__device__ static float around(float before, float after, int place, int extent)
{
    return (place > 0 ? before : after) + (place < extent - 1 ? after : before);
}

/* All steps along the warp's part of a row. */
__device__ static void lift_row(float (&cells)[CELLS], int steps, int column, int columns)
{
    for (int step = 0; step < steps && columns > 1; step += 2) {
        const float last = __shfl_down_sync(WHOLE_WARP, cells[0], 1);
        cells[1] = lift(steps, step, cells[1],
                        around(cells[0], cells[2], column + 1, columns));
        cells[3] = lift(steps, step, cells[3], around(cells[2], last, column + 3, columns));
        const float first = __shfl_up_sync(WHOLE_WARP, cells[3], 1);
        cells[0] = lift(steps, step + 1, cells[0], around(first, cells[1], column, columns));
        cells[2] = lift(steps, step + 1, cells[2],
                        around(cells[1], cells[3], column + 2, columns));
    }
}

/* What a level has, and where its samples go: `next` and `result` may be one array. */
struct level {
    int steps, rows, columns, width;
    float *next, *result;
};

/* Four samples of row `row` to their places, two by two. */
__device__ static void store(const struct level &level, const float (&cells)[CELLS], int row,
                             int column)
{
    const int columns = level.columns;
    if (row < 0 || row >= level.rows)
        return;
    for (int k = 0; k < 2; k++) {
        float values[2];
        for (int m = 0; m < 2; m++)
            values[m] = cells[k + 2 * m] * gain(level.steps, level.rows, row) *
                        gain(level.steps, columns, k);
        float *const to = (is_coarse(row, k) ? level.next : level.result) +
                          (size_t)place_of(level.rows, row) * level.width +
                          place_of(columns, column + k);
        if (column + CELLS <= columns && level.width % 2 == 0 && half_of(columns) % 2 == 0) {
            *(float2 *)to = make_float2(values[0], values[1]);
            continue;
        }
        for (int m = 0; m < 2; m++)
            if (column + k + 2 * m < columns)
                to[m] = values[m];
    }
}

/* One level of the image in `now`. */
__global__ void __launch_bounds__(32 * WARPS)
    advance(const struct level level, const float *__restrict__ now)
{
    const int steps = level.steps, rows = level.rows, columns = level.columns;
    const int lane = threadIdx.x;
    const int column = (int)blockIdx.x * INNER + (lane - 1) * CELLS;
    const int first = ((int)blockIdx.y * WARPS + (int)threadIdx.y) * PAIRS;
    const int begin = max(first - BEFORE, 0), end = min(first + PAIRS, half_of(rows));
    const bool stores = lane > 0 && lane < 31;
    /* Of the pair before: its odd row after the first step, its even row after the second; of that
       before it the odd row after the third. */
    float odd_1[CELLS], even_2[CELLS], odd_3[CELLS], even[CELLS];

    for (int k = 0; k < CELLS; k++)
        odd_1[k] = even_2[k] = odd_3[k] = 0.0f;
    fetch(even, now + (size_t)(2 * begin) * level.width, 2 * begin < rows, column, columns,
          level.width);
    for (int pair = begin; pair <= end && rows > 1; pair++) {
        const int row = 2 * pair;
        const float *const line = now + (size_t)row * level.width;
        float odd[CELLS], after[CELLS];
        fetch(odd, line + level.width, row + 1 < rows, column, columns, level.width);
        fetch(after, line + 2 * (size_t)level.width, row + 2 < rows, column, columns, level.width);
#pragma unroll
        for (int k = 0; k < CELLS; k++) {
            /* Rows behind the last are those before it, as far as others need them. */
            const float odd_now = row + 1 < rows ? lift(steps, 0, odd[k],
                                                        around(even[k], after[k], row + 1, rows))
                                                 : odd_1[k];
            const float even_now =
                row < rows ? lift(steps, 1, even[k], around(odd_1[k], odd_now, row, rows))
                           : even_2[k];
            float odd_done = odd_1[k], even_done = even_2[k];
            if (steps == STEPS_97) {
                odd_done = row - 1 < rows
                               ? lift(steps, 2, odd_1[k],
                                      around(even_2[k], even_now, row - 1, rows))
                               : odd_3[k];
                even_done = lift(steps, 3, even_2[k],
                                 around(odd_3[k], odd_done, row - 2, rows));
            }
            odd_1[k] = odd_now;
            odd_3[k] = odd[k] = odd_done; /* of the pair before, as what is stored */
            even_2[k] = even_now;
            even[k] = after[k];
            after[k] = even_done;
        }
        if (pair <= first)
            continue;
        lift_row(after, steps, column, columns);
        lift_row(odd, steps, column, columns);
        if (stores) {
            store(level, after, row - 2, column);
            store(level, odd, row - 1, column);
        }
    }
    if (rows == 1 && first == 0) {
        lift_row(even, steps, column, columns);
        if (stores)
            store(level, even, 0, column);
    }
}

/* All levels on the device, the image of each in `now` or `next`, which take turns. */
static void transform(const struct run *run, float *values)
{
    const size_t pixels = run_pixels(run);
    device_array<float> now(run->pixels, pixels), next(pixels);
    const device_array<float> result(pixels);
    const dim3 block(32, WARPS);
    int rows = run->rows, columns = run->columns;

    for (int number = 1; number <= run->levels; number++) {
        float *const coarse = number < run->levels ? next : result;
        const struct level level = {run->steps, rows, columns, run->columns, coarse, result};
        const dim3 grid(blocks_for(columns, INNER), blocks_for(half_of(rows), PAIRS * WARPS));
        device_launch("advance", [&] { advance<<<grid, block>>>(level, now); });
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
