/*
 * Backprop: a step of training for a network of two layers. The tuned CUDA form.
 *
 * As many blocks as fill the device go through the weights, four an access where the number of
 * hidden units allows it and several accesses under way at a time. A thread stays with its hidden
 * units: what they get is in registers until all inputs are done, then the lanes and warps of a
 * block add up, and each block adds to the sums once. The sums are exact, so that the order of
 * blocks does not matter.
 *
 * usage: backprop_tuned INPUTS HIDDEN SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "network.h"

#ifndef WARPS
#define WARPS 8 /* warps of a block */
#endif
#ifndef BLOCKS
#define BLOCKS 8 /* blocks of a multiprocessor */
#endif
#if WARPS < 1 || WARPS > 32 || BLOCKS < 1
#error "a block has 32 warps at most"
#endif
#define THREADS (32 * WARPS)
#define UNDER_WAY 4 /* accesses of a thread */

/* So many weights side by side, one access. */
template <int width> struct __align__(4 * width) group {
    float of[width];
};

/* How a thread goes through the weights: which group of hidden units, and which inputs. */
struct walk {
    int group, first, stride;
};

/*
 * The lanes of a warp are `across` groups wide, a power of two and 32 at most. Blocks of one
 * blockIdx.y have the same hidden units.
 */
__device__ static struct walk walk_of(int across)
{
    const int thread = threadIdx.x, down = THREADS / across;
    struct walk walk;
    walk.group = (int)blockIdx.y * across + thread % across;
    walk.first = (int)blockIdx.x * down + thread / across;
    walk.stride = (int)gridDim.x * down;
    return walk;
}

/* Adds what the hidden units get from these weights of one input. */
template <int width>
__device__ static void add_products(double (&own)[width], struct group<width> weights, float input)
{
#pragma unroll
    for (int k = 0; k < width; k++)
        own[k] += weights.of[k] * input; /* the product is exact in float */
}

/* Adds what the block's threads have of each hidden unit to the sums. */
template <int width>
__device__ static void add_block(double (&own)[width], int across, int group, int groups,
                                 double *sums)
{
    __shared__ double of_warps[WARPS][32][width];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 16; distance >= across; distance /= 2)
#pragma unroll
        for (int k = 0; k < width; k++)
            own[k] += __shfl_down_sync(WHOLE_WARP, own[k], distance);
    if (lane < across)
#pragma unroll
        for (int k = 0; k < width; k++)
            of_warps[warp][lane][k] = own[k];
    __syncthreads();
    if (warp != 0 || lane >= across || group >= groups)
        return;
#pragma unroll
    for (int k = 0; k < width; k++) {
        for (int other = 1; other < WARPS; other++)
            own[k] += of_warps[other][lane][k];
        atomicAdd(&sums[group * width + k], own[k]);
    }
}

/* Adds what the hidden units get from the inputs to `sums`. */
template <int width>
__global__ void __launch_bounds__(THREADS)
    forward(int rows, int groups, int across, const float *__restrict__ input,
            const struct group<width> *__restrict__ weights, double *__restrict__ sums)
{
    const struct walk walk = walk_of(across);
    double own[width] = {};

    if (walk.group < groups) {
        const size_t step = (size_t)walk.stride * groups;
        size_t at = (size_t)walk.first * groups + walk.group;
        int i = walk.first;
        for (; i < rows - (UNDER_WAY - 1) * walk.stride; i += UNDER_WAY * walk.stride) {
            struct group<width> read[UNDER_WAY];
#pragma unroll
            for (int n = 0; n < UNDER_WAY; n++)
                read[n] = weights[at + n * step];
#pragma unroll
            for (int n = 0; n < UNDER_WAY; n++)
                add_products(own, read[n], input[i + n * walk.stride]);
            at += UNDER_WAY * step;
        }
        for (; i < rows; i += walk.stride, at += step)
            add_products(own, weights[at], input[i]);
    }
    add_block(own, across, walk.group, groups, sums);
}

/* Changes the weights against the errors of the hidden units, and some more of the last change. */
template <int width>
__global__ void __launch_bounds__(THREADS)
    adjust(int rows, int groups, int across, const float *__restrict__ input,
           const struct group<width> *__restrict__ errors, struct group<width> *__restrict__ changes,
           struct group<width> *__restrict__ weights)
{
    const struct walk walk = walk_of(across);
    const size_t step = (size_t)walk.stride * groups;
    size_t at = (size_t)walk.first * groups + walk.group;

    if (walk.group >= groups)
        return;
    const struct group<width> error = errors[walk.group];
#pragma unroll 2
    for (int i = walk.first; i < rows; i += walk.stride, at += step) {
        struct group<width> change = changes[at], weight = weights[at];
        const float value = input[i];
#pragma unroll
        for (int k = 0; k < width; k++) {
            change.of[k] = RATE * error.of[k] * value + MOMENTUM * change.of[k];
            weight.of[k] += change.of[k];
        }
        weights[at] = weight;
        changes[at] = change;
    }
}

/* The step on the device, but for what is done for the few hidden units; `width` divides these. */
template <int width> static void train(struct run *run, double *host_sums, float *host_errors)
{
    typedef struct group<width> group;
    const int rows = run->inputs + 1, groups = run->hidden / width;
    const size_t count = run_weights(run) / width;
    const device_array<float> input(run->input, (size_t)rows);
    const device_array<group> weights((const group *)run->weights, count);
    const device_array<group> changes((const group *)run->changes, count);
    device_array<double> sums((size_t)run->hidden);
    int across = 1;
    while (across < 32 && across < groups)
        across *= 2;
    const int columns = blocks_for(groups, across);
    const dim3 grid(min(blocks_for(rows, THREADS / across),
                        blocks_for(device_multiprocessors() * BLOCKS, columns)),
                    columns);

    sums.clear();
    device_launch("forward", [&] {
        forward<width><<<grid, THREADS>>>(rows, groups, across, input, weights, sums);
    });
    sums.download(host_sums);
    output_layer(run, host_sums, host_errors);
    const device_array<group> errors((const group *)host_errors, (size_t)groups);
    device_launch("adjust", [&] {
        adjust<width><<<grid, THREADS>>>(rows, groups, across, input, errors, changes, weights);
    });
    weights.download((group *)run->weights);
    changes.download((group *)run->changes);
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    double *sums = (double *)allocate((size_t)run.hidden, sizeof *sums);
    float *errors = grid_allocate((size_t)run.hidden);
    const double start = clock_seconds();
    if (run.hidden % 4 == 0)
        train<4>(&run, sums, errors);
    else
        train<1>(&run, sums, errors);
    run_finish(&run, clock_seconds() - start);
    free(sums);
    free(errors);
    return 0;
}
