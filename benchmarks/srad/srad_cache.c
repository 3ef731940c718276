/*
 * SRAD: smooths a speckled image by diffusion that stops at edges. The cache form:
 * each loop holds a tile of what it reads, with a halo of one pixel.
 *
 * usage: srad_cache STEPS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "image.h"

#ifndef TILE
#define TILE 16 /* rows and columns of a tile */
#endif
#if TILE < 1 || TILE > 32
#error "a block has one thread a pixel of the tile, 1024 at most"
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
                 float (*restrict coefficient)[columns], float (*restrict next)[columns])
{
    #pragma acc kernels present(now, coefficient)
    #pragma acc loop independent vector(TILE)
    for (int row = 0; row < rows; row++) {
        #pragma acc loop independent vector(TILE)
        for (int column = 0; column < columns; column++) {
            #pragma acc cache(now[row - 1:3][column - 1:3])
            const float here = now[row][column];
            coefficient[row][column] =
                diffusion(here, now[row > 0 ? row - 1 : row][column] - here,
                          now[row < rows - 1 ? row + 1 : row][column] - here,
                          now[row][column > 0 ? column - 1 : column] - here,
                          now[row][column < columns - 1 ? column + 1 : column] - here, uneven);
        }
    }
    #pragma acc kernels present(now, coefficient, next)
    #pragma acc loop independent vector(TILE)
    for (int row = 0; row < rows; row++) {
        #pragma acc loop independent vector(TILE)
        for (int column = 0; column < columns; column++) {
            #pragma acc cache(now[row - 1:3][column - 1:3], coefficient[row:2][column:2])
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

/*
 * All steps on the device, the intensities going to and fro between `front`, which has the first,
 * and `back`. Returns the one of the two that holds the last.
 */
static float *simulate(int rows, int columns, int steps, float (*front)[columns], float (*coefficient)[columns],
                       float (*back)[columns])
{
    float (*now)[columns] = front, (*next)[columns] = back;

    #pragma acc data copyin(front[0:rows][0:columns]) \
                     create(back[0:rows][0:columns], coefficient[0:rows][0:columns])
    {
        for (int i = 0; i < steps; i++) {
            const float uneven = measure(rows, columns, now);
            step(rows, columns, uneven, now, coefficient, next);
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
    float *coefficient = grid_allocate(run_pixels(&run)), *next = grid_allocate(run_pixels(&run));
    const double start = clock_seconds();
    const float *last =
        simulate(run.rows, columns, run.steps, (float (*)[columns])run.intensities,
                 (float (*)[columns])coefficient, (float (*)[columns])next);
    run_report(&run, last, clock_seconds() - start);
    free(run.intensities);
    free(next);
    free(coefficient);
    return 0;
}
