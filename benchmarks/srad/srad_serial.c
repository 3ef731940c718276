/*
 * SRAD: smooths a speckled image by diffusion that stops at edges. The serial form.
 *
 * usage: srad_serial STEPS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "image.h"

/* The unevenness of the image. */
static float measure(int rows, int columns, const float (*now)[columns])
{
    double sum = 0.0, squares = 0.0;
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const float here = now[row][column];
            sum += here;
            squares += here * here;
        }
    }
    return unevenness((size_t)rows * (size_t)columns, sum, squares);
}

/*
 * One step: the intensities `next` from the intensities `now`. A pixel at the rim is its own
 * neighbour. Flow to the north and the west goes by the pixel's own coefficient, flow to the south
 * and the east by that of the neighbour.
 */
static void step(int rows, int columns, float uneven, const float (*now)[columns],
                 float (*coefficient)[columns], float (*next)[columns])
{
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const float here = now[row][column];
            coefficient[row][column] =
                diffusion(here, now[row > 0 ? row - 1 : row][column] - here,
                          now[row < rows - 1 ? row + 1 : row][column] - here,
                          now[row][column > 0 ? column - 1 : column] - here,
                          now[row][column < columns - 1 ? column + 1 : column] - here, uneven);
        }
    }
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const int south = row < rows - 1 ? row + 1 : row;
            const int east = column < columns - 1 ? column + 1 : column;
            const float here = now[row][column], own = coefficient[row][column];
            const float flow = own * (now[row > 0 ? row - 1 : row][column] - here) +
                               coefficient[south][column] * (now[south][column] - here) +
                               own * (now[row][column > 0 ? column - 1 : column] - here) +
                               coefficient[row][east] * (now[row][east] - here);
            next[row][column] = here + 0.25f * LAMBDA * flow;
        }
    }
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    const int rows = run.rows, columns = run.columns;
    float *now = run.intensities;
    float *coefficient = grid_allocate(run_pixels(&run)), *next = grid_allocate(run_pixels(&run));
    const double start = clock_seconds();
    for (int i = 0; i < run.steps; i++) {
        const float uneven = measure(rows, columns, (const float (*)[columns])now);
        step(rows, columns, uneven, (const float (*)[columns])now,
             (float (*)[columns])coefficient, (float (*)[columns])next);
        float *swap = now;
        now = next;
        next = swap;
    }
    run_report(&run, now, clock_seconds() - start);
    free(now);
    free(next);
    free(coefficient);
    return 0;
}
