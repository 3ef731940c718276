/*
 * Backprop: a step of training for a network of two layers. The fcw form.
 *
 * A block multiplies TILE_ROWS inputs with their weights for TILE_COLUMNS hidden units, so that
 * neighbouring threads read neighbouring weights, and adds up the products in shared memory, as a
 * tree. Its sums go to `partials`, and a second loop adds up these.
 *
 * usage: backprop_fcw INPUTS HIDDEN SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "network.h"

#ifndef TILE_ROWS
#define TILE_ROWS 16 /* inputs of a block */
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 16 /* hidden units of a block */
#endif
#if TILE_ROWS < 1 || TILE_COLUMNS < 1 || TILE_ROWS * TILE_COLUMNS > 1024
#error "a block has one thread a weight of the tile, 1024 at most"
#endif

/* What the hidden units get from each TILE_ROWS inputs. */
static void forward_tiles(int rows, int hidden, const float *restrict input,
                          const float (*restrict weights)[hidden],
                          double (*restrict partials)[hidden])
{
    double (*restrict products)[hidden] = NULL; /* only windows of it exist */

    #pragma acc kernels present(input, weights, partials)
    #pragma acc loop independent vector(TILE_ROWS)
    for (int i = 0; i < rows; i++) {
        #pragma acc loop independent vector(TILE_COLUMNS)
        for (int j = 0; j < hidden; j++) {
            #pragma acc fcw FETCH_ONLY(input[i:0:0]) CHANNEL_ONLY(products[i:0:0:j:0:0])
            {
                products[i][j] = weights[i][j] * input[i];
                for (int width = TILE_ROWS; width > 1; width = (width + 1) / 2) {
                    const int other = i + (width + 1) / 2; /* of the upper half */
                    if (i % TILE_ROWS < width / 2 && other < rows)
                        products[i][j] += products[other][j];
                }
                if (i % TILE_ROWS == 0)
                    partials[i / TILE_ROWS][j] = products[i][j];
            }
        }
    }
}

/* What each hidden unit gets from the inputs; there is a row of weights for each input. */
static void forward(int rows, int hidden, const float *restrict input,
                    const float (*restrict weights)[hidden], double *restrict sums)
{
    const int tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
    double (*partials)[hidden] = (double (*)[hidden])allocate((size_t)tiles, sizeof *partials);

    #pragma acc data create(partials[0:tiles][0:hidden])
    {
        forward_tiles(rows, hidden, input, weights, partials);
        #pragma acc parallel loop gang present(partials) copyout(sums[0:hidden])
        for (int j = 0; j < hidden; j++) {
            double sum = 0.0;
            #pragma acc loop vector reduction(+ : sum)
            for (int tile = 0; tile < tiles; tile++)
                sum += partials[tile][j];
            sums[j] = sum;
        }
    }
    free(partials);
}

/* Changes the weights against the errors of the hidden units, and some more of the last change. */
static void adjust(int rows, int hidden, const float *restrict input,
                   const float *restrict errors, float (*restrict changes)[hidden],
                   float (*restrict weights)[hidden])
{
    #pragma acc parallel loop collapse(2) present(input, changes, weights) copyin(errors[0:hidden])
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < hidden; j++) {
            const float change = RATE * errors[j] * input[i] + MOMENTUM * changes[i][j];
            weights[i][j] += change;
            changes[i][j] = change;
        }
    }
}

/* The step on the device, but for what is done for the few hidden units. */
static void train(struct run *run, double *sums, float *errors)
{
    const int rows = run->inputs + 1, hidden = run->hidden;
    const float *input = run->input;
    float (*weights)[hidden] = (float (*)[hidden])run->weights;
    float (*changes)[hidden] = (float (*)[hidden])run->changes;

    #pragma acc data copyin(input[0:rows]) \
                     copy(weights[0:rows][0:hidden], changes[0:rows][0:hidden])
    {
        forward(rows, hidden, input, (const float (*)[hidden])weights, sums);
        output_layer(run, sums, errors);
        adjust(rows, hidden, input, errors, changes, weights);
    }
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    double *sums = (double *)allocate((size_t)run.hidden, sizeof *sums);
    float *errors = grid_allocate((size_t)run.hidden);
    const double start = clock_seconds();
    train(&run, sums, errors);
    run_finish(&run, clock_seconds() - start);
    free(sums);
    free(errors);
    return 0;
}
