/*
 * Dyadic convolution of two sequences, by the fast Walsh-Hadamard transform. The textbook CUDA form.
 *
 * As the fcw form: stages with a stride of ELEMENTS / 2 or less are done in shared memory, by blocks
 * of ELEMENTS values; longer strides go through global memory, one launch a stage. A thread does
 * one pair of a stage.
 *
 * usage: dyadic_textbook DATA KERNEL SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "sequences.h"

#ifndef TILE
#define TILE 256 /* threads of a block */
#endif
#if TILE < 1 || TILE > 1024 || (TILE & (TILE - 1)) != 0
#error "the threads of a block must be a power of two, 1024 at most"
#endif
#define ELEMENTS (2 * TILE) /* values that a block transforms in shared memory */

/* The stage of one stride. */
__global__ void __launch_bounds__(TILE)
    transform_stage(int count, int stride, int64_t *__restrict__ values)
{
    const int i = blockIdx.x * TILE + threadIdx.x;
    if (i >= count / 2)
        return;
    const int low = i + (i & ~(stride - 1)); /* the stride's bit of `low` is zero */
    const int64_t u = values[low], v = values[low + stride];
    values[low] = u + v;
    values[low + stride] = u - v;
}

/* All stages with strides up to half of `width`, which is ELEMENTS or, where fewer, all values. */
__global__ void __launch_bounds__(TILE) transform_tiles(int width, int64_t *__restrict__ values)
{
    __shared__ int64_t exchange[ELEMENTS];
    const int lane = threadIdx.x, half = width / 2;
    const bool computes = lane < half;
    int64_t *tile = values + (size_t)blockIdx.x * ELEMENTS;

    if (computes) {
        exchange[lane] = tile[lane];
        exchange[lane + half] = tile[lane + half];
    }
    for (int stride = half; stride > 0; stride /= 2) {
        __syncthreads();
        if (computes) {
            const int low = lane + (lane & ~(stride - 1));
            const int64_t u = exchange[low], v = exchange[low + stride];
            exchange[low] = u + v;
            exchange[low + stride] = u - v;
        }
    }
    __syncthreads();
    if (computes) {
        tile[lane] = exchange[lane];
        tile[lane + half] = exchange[lane + half];
    }
}

__global__ void __launch_bounds__(TILE)
    multiply(int count, const int64_t *__restrict__ data, const int64_t *__restrict__ kernel,
             int64_t *__restrict__ result)
{
    const int i = blockIdx.x * TILE + threadIdx.x;
    if (i < count)
        result[i] = data[i] * kernel[i];
}

__global__ void __launch_bounds__(TILE) divide(int count, int64_t *values)
{
    const int i = blockIdx.x * TILE + threadIdx.x;
    if (i < count)
        values[i] /= count;
}

static void transform(int count, int64_t *values)
{
    for (int stride = count / 2; stride > ELEMENTS / 2; stride /= 2)
        device_launch("transform_stage", [&] {
            transform_stage<<<blocks_for(count / 2, TILE), TILE>>>(count, stride, values);
        });
    device_launch("transform_tiles", [&] {
        transform_tiles<<<blocks_for(count, ELEMENTS), TILE>>>(min(count, ELEMENTS), values);
    });
}

static void convolve(const struct run *run)
{
    const size_t count = (size_t)run->count;
    const int blocks = blocks_for(run->count, TILE);
    const device_array<int64_t> data(run->data, count);
    const device_array<int64_t> kernel(run->kernel, count);
    const device_array<int64_t> result(count);

    transform(run->count, data);
    transform(run->count, kernel);
    device_launch("multiply",
                  [&] { multiply<<<blocks, TILE>>>(run->count, data, kernel, result); });
    transform(run->count, result);
    device_launch("divide", [&] { divide<<<blocks, TILE>>>(run->count, result); });
    result.download(run->result);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    convolve(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
