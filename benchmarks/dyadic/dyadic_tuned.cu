/*
 * Dyadic convolution of two sequences, by the fast Walsh-Hadamard transform. The tuned CUDA form.
 *
 * The stages of a transform may come in any order. Those of long strides are done up to four at a
 * time in registers, for both sequences in one launch. One kernel does all others: of a tile of
 * 2048 values, eight a thread, it transforms the short strides of both sequences, multiplies, and
 * transforms the short strides of the product. Strides from 1024 to 256 and from 128 to 32 are in
 * registers, with one exchange through shared memory between them; strides from 16 to 1 are
 * between the lanes of a warp. The way back ends with the long strides, and the division with it.
 *
 * Sequences shorter than a tile are filled up with zeros to one, which the convolution does not see.
 *
 * usage: dyadic_tuned DATA KERNEL SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "sequences.h"

#define THREADS 256
#define VALUES 8 /* of a thread */
#define TILE (THREADS * VALUES)
#ifndef LONG_THREADS
#define LONG_THREADS 128 /* of a block that does long strides */
#endif

/* All stages between the values of one thread, the number of which is 2 to the power of `stages`. */
template <int stages> __device__ static void transform_own(int64_t (&values)[1 << stages])
{
#pragma unroll
    for (int stride = 1 << stages >> 1; stride > 0; stride /= 2)
#pragma unroll
        for (int i = 0; i < 1 << stages; i++)
            if ((i & stride) == 0) {
                const int64_t u = values[i], v = values[i + stride];
                values[i] = u + v;
                values[i + stride] = u - v;
            }
}

/*
 * The stages of the strides from `stride` on, each twice the one before. At the end of all, the
 * values are shifted right, which divides them. Of several arrays each has a row of blocks.
 */
template <int stages>
__global__ void __launch_bounds__(LONG_THREADS)
    transform_long(int count, int stride, int shift, int64_t *arrays)
{
    int64_t *values = arrays + (size_t)blockIdx.y * count;
    const int i = blockIdx.x * LONG_THREADS + threadIdx.x;
    int64_t own[1 << stages];

    if (i >= count >> stages)
        return;
    const int first = (i & -stride) * ((1 << stages) - 1) + i; /* the strides' bits are zero */
#pragma unroll
    for (int k = 0; k < 1 << stages; k++)
        own[k] = values[first + k * stride];
    transform_own<stages>(own);
#pragma unroll
    for (int k = 0; k < 1 << stages; k++)
        values[first + k * stride] = own[k] >> shift;
}

/* The strides from 16 to 1 between values that lanes have. */
__device__ static void transform_lanes(int64_t (&own)[VALUES])
{
#pragma unroll
    for (int stride = 16; stride > 0; stride /= 2) {
        const bool is_high = (threadIdx.x & stride) != 0;
#pragma unroll
        for (int k = 0; k < VALUES; k++) {
            const int64_t other = __shfl_xor_sync(WHOLE_WARP, own[k], stride);
            own[k] = is_high ? other - own[k] : own[k] + other;
        }
    }
}

/* Where a thread's values stand in the tile: far apart, or 32 apart. */
__device__ static int far_place(int k)
{
    return threadIdx.x + k * THREADS;
}

__device__ static int near_place(int k)
{
    return threadIdx.x / 32 * (32 * VALUES) + threadIdx.x % 32 + k * 32;
}

/* All stages of a tile of global memory; the thread gets the values of its near places. */
__device__ static void transform_tile(const int64_t *tile, int64_t (&own)[VALUES], int64_t *exchange)
{
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        own[k] = tile[far_place(k)];
    transform_own<3>(own);
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        exchange[far_place(k)] = own[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        own[k] = exchange[near_place(k)];
    __syncthreads();
    transform_own<3>(own);
    transform_lanes(own);
}

/* All stages within tiles of both sequences, their product, and the stages of that. */
__global__ void __launch_bounds__(THREADS)
    convolve_tiles(const int64_t *__restrict__ data, const int64_t *__restrict__ kernel, int shift,
                   int64_t *__restrict__ result)
{
    __shared__ int64_t exchange[TILE];
    const size_t start = (size_t)blockIdx.x * TILE;
    int64_t own[VALUES], other[VALUES];

    transform_tile(data + start, own, exchange);
    transform_tile(kernel + start, other, exchange);
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        own[k] *= other[k];
    transform_lanes(own);
    transform_own<3>(own);
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        exchange[near_place(k)] = own[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        own[k] = exchange[far_place(k)];
    transform_own<3>(own);
#pragma unroll
    for (int k = 0; k < VALUES; k++)
        result[start + far_place(k)] = own[k] >> shift;
}

template <int stages>
static void launch_long(int count, int stride, int shift, int64_t *arrays, int array_count)
{
    const dim3 grid(blocks_for(count >> stages, LONG_THREADS), array_count);
    device_launch("transform_long", [&] {
        transform_long<stages><<<grid, LONG_THREADS>>>(count, stride, shift, arrays);
    });
}

/* All stages of strides of a tile and more. */
static void transform(int count, int shift, int64_t *arrays, int array_count)
{
    for (int stride = TILE; stride < count;) {
        int stages = 1;
        while (stages < 4 && stride << stages < count)
            stages++;
        const int last = stride << stages >= count ? shift : 0;
        if (stages == 4)
            launch_long<4>(count, stride, last, arrays, array_count);
        else if (stages == 3)
            launch_long<3>(count, stride, last, arrays, array_count);
        else if (stages == 2)
            launch_long<2>(count, stride, last, arrays, array_count);
        else
            launch_long<1>(count, stride, last, arrays, array_count);
        stride <<= stages;
    }
}

static void convolve(const struct run *run)
{
    const int count = max(run->count, TILE);
    device_array<int64_t> arrays(2 * (size_t)count); /* both sequences */
    const device_array<int64_t> result((size_t)count);
    int shift = 0;
    while (1 << shift < count)
        shift++;

    if (run->count < count)
        arrays.clear();
    arrays.upload(run->data, 0, (size_t)run->count);
    arrays.upload(run->kernel, (size_t)count, (size_t)run->count);
    transform(count, 0, arrays, 2);
    device_launch("convolve_tiles", [&] {
        convolve_tiles<<<count / TILE, THREADS>>>(arrays, arrays + count,
                                                  count == TILE ? shift : 0, result);
    });
    transform(count, shift, result, 1);
    result.download(run->result, (size_t)run->count);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    convolve(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
