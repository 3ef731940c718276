/*
 * SRAD: smooths a speckled image by diffusion that stops at edges. The fcw form.
 *
 * A step is one loop in the place of two. A block computes the coefficients of TILE x TILE pixels,
 * which exist in its shared memory only, and with them the pixels but for the last row and column,
 * whose flow needs the next tile's coefficients. So tiles overlap by one pixel.
 *
 * usage: srad_fcw STEPS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "image.h"

#ifndef TILE
#define TILE 16 /* rows and columns of a tile */
#endif
#if TILE < 2 || TILE > 32
#error "a tile has a pixel besides those that overlap, and 1024 at most"
#endif

/* The unevenness of the image on the device. */
static float measure(int rows, int columns, const float (*restrict now)[columns])
{
    double sum = 0.0, squares = 0.0;

    #pragma acc parallel loop collapse(2) present(now) reduction(+ : sum, squares)
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
 * neighbour.
 */
static void step(int rows, int columns, float uneven, const float (*restrict now)[columns],
                 float (*restrict next)[columns])
{
    float (*restrict coefficient)[columns] = NULL; /* only windows of it exist */
    const int inner = TILE - 1;
    const int row_threads = (rows + inner - 1) / inner * TILE;
    const int column_threads = (columns + inner - 1) / inner * TILE;

    #pragma acc kernels present(now, next)
    #pragma acc loop independent vector(TILE)
    for (int y = 0; y < row_threads; y++) {
        #pragma acc loop independent vector(TILE)
        for (int x = 0; x < column_threads; x++) {
            const int row = y - y / TILE, column = x - x / TILE; /* tiles overlap */

            #pragma acc fcw FETCH_ONLY(now[row:1:1:column:1:1]) \
                            CHANNEL_ONLY(coefficient[row:0:0:column:0:0])
            {
                if (row < rows && column < columns) {
                    const float here = now[row][column];
                    coefficient[row][column] =
                        diffusion(here, now[row > 0 ? row - 1 : row][column] - here,
                                  now[row < rows - 1 ? row + 1 : row][column] - here,
                                  now[row][column > 0 ? column - 1 : column] - here,
                                  now[row][column < columns - 1 ? column + 1 : column] - here, uneven);
                }
                if (row < rows && column < columns && y % TILE < inner && x % TILE < inner) {
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
    }
}

/*
 * All steps on the device, the intensities going to and fro between `front`, which has the first,
 * and `back`. Returns the one of the two that holds the last.
 */
static float *simulate(int rows, int columns, int steps, float (*front)[columns], float (*back)[columns])
{
    float (*now)[columns] = front, (*next)[columns] = back;

    #pragma acc data copyin(front[0:rows][0:columns]) \
                     create(back[0:rows][0:columns])
    {
        for (int i = 0; i < steps; i++) {
            const float uneven = measure(rows, columns, now);
            step(rows, columns, uneven, now, next);
            float (*swap)[columns] = now;
            now = next;
            next = swap;
        }
        #pragma acc update self(now[0:rows][0:columns])
    }
    return now[0];
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    const int columns = run.columns;
    float *next = grid_allocate(run_pixels(&run));
    const double start = clock_seconds();
    const float *last =
        simulate(run.rows, columns, run.steps, (float (*)[columns])run.intensities,
                 (float (*)[columns])next);
    run_report(&run, last, clock_seconds() - start);
    free(run.intensities);
    free(next);
    return 0;
}
