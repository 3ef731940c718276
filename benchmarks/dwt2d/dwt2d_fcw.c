/*
 * DWT2D: the discrete wavelet transform of an image, by lifting. The fcw form.
 *
 * A level is one loop. A block fetches TILE x TILE pixels and takes them through all steps along
 * the columns and the rows in shared memory; with each step the pixels along the edges of its tile,
 * which would need the neighbouring blocks' pixels, go out of date by one more. So tiles overlap by
 * EDGE pixels on every side, and a block writes only what is right to the end. No step reads a
 * sample that it writes, so that one barrier a step, an explicit one, does.
 *
 * usage: dwt2d_fcw (5/3 | 9/7) LEVELS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "image.h"

#ifndef TILE
#define TILE 32 /* rows and columns that a block computes */
#endif
#define EDGE STEPS_97
#if TILE <= 2 * EDGE || TILE > 32
#error "a tile must be wider than its two edges, and have 1024 pixels at most"
#endif

/*
 * One level: of the image in `now` the next one's in `next`, all else in `result`. These may be one
 * array: no place is in both.
 */
static void advance(int steps, int rows, int columns, int width, float (*restrict now)[width],
                    float (*restrict next)[width], float (*restrict result)[width])
{
    const int inner = TILE - 2 * EDGE;
    const int row_threads = (rows + inner - 1) / inner * TILE;
    const int column_threads = (columns + inner - 1) / inner * TILE;

    #pragma acc kernels present(now, next, result)
    #pragma acc loop independent vector(TILE)
    for (int y = 0; y < row_threads; y++) {
        #pragma acc loop independent vector(TILE)
        for (int x = 0; x < column_threads; x++) {
            const int row = y - ((y / TILE) * 2 * EDGE + EDGE); /* tiles overlap */
            const int column = x - ((x / TILE) * 2 * EDGE + EDGE);
            const int inside = row >= 0 && row < rows && column >= 0 && column < columns;
            const int above = row > 0 ? row - 1 : row + 1; /* the image's mirror image */
            const int below = row < rows - 1 ? row + 1 : row - 1;
            const int left = column > 0 ? column - 1 : column + 1;
            const int right = column < columns - 1 ? column + 1 : column - 1;

            #pragma acc fcw FETCH_CHANNEL(now[row:0:0:column:0:0]) explicit
            {
                for (int step = 0; step < steps && rows > 1; step++) {
                    if (inside && row % 2 != step % 2 && y % TILE > 0 && y % TILE < TILE - 1)
                        now[row][column] = lift(steps, step, now[row][column],
                                                now[above][column] + now[below][column]);
                    #pragma acc fcw_barrier
                }
                for (int step = 0; step < steps && columns > 1; step++) {
                    if (inside && column % 2 != step % 2 && x % TILE > 0 && x % TILE < TILE - 1)
                        now[row][column] = lift(steps, step, now[row][column],
                                                now[row][left] + now[row][right]);
                    #pragma acc fcw_barrier
                }
                if (inside && y % TILE >= EDGE && y % TILE < TILE - EDGE && x % TILE >= EDGE &&
                    x % TILE < TILE - EDGE) {
                    const float value = now[row][column] * gain(steps, rows, row) *
                                        gain(steps, columns, column);
                    if (is_coarse(row, column))
                        next[row / 2][column / 2] = value;
                    else
                        result[place_of(rows, row)][place_of(columns, column)] = value;
                }
            }
        }
    }
}

/* All levels on the device, the image of each in `front` or `back`, which take turns. */
static void transform(const struct run *run, int width, float (*front)[width],
                      float (*back)[width], float (*result)[width])
{
    const int height = run->rows;
    int rows = height, columns = width;
    float (*now)[width] = front, (*next)[width] = back;

    #pragma acc data copyin(front[0:height][0:width]) create(back[0:height][0:width]) \
                     copyout(result[0:height][0:width])
    for (int level = 1; level <= run->levels; level++) {
        advance(run->steps, rows, columns, width, now, level < run->levels ? next : result, result);
        float (*swap)[width] = now;
        now = next;
        next = swap;
        rows = half_of(rows);
        columns = half_of(columns);
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int width = run.columns;
    float *next = grid_allocate(run_pixels(&run)), *result = grid_allocate(run_pixels(&run));
    const double start = clock_seconds();
    transform(&run, width, (float (*)[width])run.pixels, (float (*)[width])next,
              (float (*)[width])result);
    run_report(&run, result, clock_seconds() - start);
    free(run.pixels);
    free(next);
    free(result);
    return 0;
}
