/*
 * Backprop: a step of training for a network of two layers. The textbook CUDA form.
 *
 * As the fcw form: a block multiplies TILE_ROWS inputs with their weights for TILE_COLUMNS hidden
 * units, a product a thread, and adds these up in shared memory, as a tree. A block for each hidden
 * unit then adds up the sums of the tiles.
 *
 * usage: backprop_textbook INPUTS HIDDEN SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

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
#define THREADS 128 /* of a block that adds up what a hidden unit gets */

/* What the hidden units get from each TILE_ROWS inputs. A grid is long in x only. */
__global__ void __launch_bounds__(TILE_ROWS *TILE_COLUMNS)
    forward_tiles(int rows, int hidden, const float *__restrict__ input,
                  const float *__restrict__ weights, double *__restrict__ partials)
{
    __shared__ float inputs[TILE_ROWS];
    __shared__ double products[TILE_ROWS][TILE_COLUMNS];
    const int x = threadIdx.x, y = threadIdx.y, thread = y * TILE_COLUMNS + x;
    const int first = (int)blockIdx.x * TILE_ROWS;
    const int i = first + y, j = (int)blockIdx.y * TILE_COLUMNS + x;

    if (thread < TILE_ROWS && first + thread < rows)
        inputs[thread] = input[first + thread];
    __syncthreads();
    products[y][x] = i < rows && j < hidden ? weights[(size_t)i * hidden + j] * inputs[y] : 0.0f;
    for (int width = TILE_ROWS; width > 1; width = (width + 1) / 2) {
        const int half = (width + 1) / 2; /* the middle one of an odd number waits */
        __syncthreads();
        if (y + half < width)
            products[y][x] += products[y + half][x];
    }
    if (y == 0 && j < hidden)
        partials[(size_t)blockIdx.x * hidden + j] = products[0][x];
}

/* What each hidden unit, a block's, gets from all tiles. */
__global__ void __launch_bounds__(THREADS)
    add_tiles(int tiles, int hidden, const double *__restrict__ partials, double *__restrict__ sums)
{
    __shared__ double own[THREADS];
    const int lane = threadIdx.x, j = blockIdx.x;
    double sum = 0.0;

    for (int tile = lane; tile < tiles; tile += THREADS)
        sum += partials[(size_t)tile * hidden + j];
    own[lane] = sum;
    for (int width = THREADS / 2; width > 0; width /= 2) {
        __syncthreads();
        if (lane < width)
            own[lane] += own[lane + width];
    }
    if (lane == 0)
        sums[j] = own[0];
}

/* Changes the weights against the errors of the hidden units, and some more of the last change. */
__global__ void __launch_bounds__(TILE_ROWS *TILE_COLUMNS)
    adjust(int rows, int hidden, const float *__restrict__ input, const float *__restrict__ errors,
           float *__restrict__ changes, float *__restrict__ weights)
{
    const int i = (int)blockIdx.x * TILE_ROWS + threadIdx.y;
    const int j = (int)blockIdx.y * TILE_COLUMNS + threadIdx.x;

    if (i < rows && j < hidden) {
        const size_t at = (size_t)i * hidden + j;
        const float change = RATE * errors[j] * input[i] + MOMENTUM * changes[at];
        weights[at] += change;
        changes[at] = change;
    }
}

/* The step on the device, but for what is done for the few hidden units. */
static void train(struct run *run, double *host_sums, float *host_errors)
{
    const int rows = run->inputs + 1, hidden = run->hidden;
    const int tiles = blocks_for(rows, TILE_ROWS);
    const size_t count = run_weights(run);
    const device_array<float> input(run->input, (size_t)rows);
    const device_array<float> weights(run->weights, count);
    const device_array<float> changes(run->changes, count);
    const device_array<double> sums((size_t)hidden);
    const device_array<double> partials((size_t)tiles * hidden);
    const dim3 block(TILE_COLUMNS, TILE_ROWS), grid(tiles, blocks_for(hidden, TILE_COLUMNS));

    device_launch("forward_tiles", [&] {
        forward_tiles<<<grid, block>>>(rows, hidden, input, weights, partials);
    });
    device_launch("add_tiles",
                  [&] { add_tiles<<<hidden, THREADS>>>(tiles, hidden, partials, sums); });
    sums.download(host_sums);
    output_layer(run, host_sums, host_errors);
    const device_array<float> errors(host_errors, (size_t)hidden);
    device_launch("adjust", [&] {
        adjust<<<grid, block>>>(rows, hidden, input, errors, changes, weights);
    });
    weights.download(run->weights);
    changes.download(run->changes);
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
