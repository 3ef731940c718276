/*
 * DWT2D: the discrete wavelet transform of an image, by lifting. The OpenACC form.
 *
 * usage: dwt2d (5/3 | 9/7) LEVELS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "image.h"

/* A step along all columns, each in its place. */
static void lift_columns(int steps, int step, int rows, int columns, int width,
                         float (*restrict now)[width])
{
    #pragma acc parallel loop independent collapse(2) present(now)
    for (int row = 1 - step % 2; row < rows; row += 2) {
        for (int column = 0; column < columns; column++) {
            const float above = now[row > 0 ? row - 1 : row + 1][column];
            const float below = now[row < rows - 1 ? row + 1 : row - 1][column];
            now[row][column] = lift(steps, step, now[row][column], above + below);
        }
    }
}

/* A step along all rows. */
static void lift_rows(int steps, int step, int rows, int columns, int width,
                      float (*restrict now)[width])
{
    #pragma acc parallel loop independent collapse(2) present(now)
    for (int row = 0; row < rows; row++) {
        for (int column = 1 - step % 2; column < columns; column += 2) {
            const float left = now[row][column > 0 ? column - 1 : column + 1];
            const float right = now[row][column < columns - 1 ? column + 1 : column - 1];
            now[row][column] = lift(steps, step, now[row][column], left + right);
        }
    }
}

/*
 * The samples in their places: of the next level's image in `next`, others in `result`. These may
 * be one array: no place is in both.
 */
static void separate(int steps, int rows, int columns, int width,
                     const float (*restrict now)[width], float (*restrict next)[width],
                     float (*restrict result)[width])
{
    #pragma acc parallel loop collapse(2) present(now, next, result)
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const float value = now[row][column] * gain(steps, rows, row) *
                                gain(steps, columns, column);
            if (is_coarse(row, column))
                next[row / 2][column / 2] = value;
            else
                result[place_of(rows, row)][place_of(columns, column)] = value;
        }
    }
}

/* One level: of the image in `now` the next one's in `next`, all else in `result`. */
static void advance(int steps, int rows, int columns, int width, float (*now)[width],
                    float (*next)[width], float (*result)[width])
{
    for (int step = 0; step < steps && rows > 1; step++)
        lift_columns(steps, step, rows, columns, width, now);
    for (int step = 0; step < steps && columns > 1; step++)
        lift_rows(steps, step, rows, columns, width, now);
    separate(steps, rows, columns, width, (const float (*)[width])now, next, result);
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
