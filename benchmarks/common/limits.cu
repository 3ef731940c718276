/*
 * What the device can do at most, to measure programs by: a copy within its memory, and the product
 * of matrices of the vendor's library, if that is found.
 *
 * usage: limits BYTES SIZE
 *
 * Prints `copy AMOUNT SECONDS`, AMOUNT being the bytes read and written by a copy of BYTES bytes, and
 * `product AMOUNT SECONDS`, AMOUNT being the operations of a product of SIZE x SIZE matrices of
 * float; seconds are medians. Without the library, or for a SIZE of 0, there is no second line.
 */
#include "clock.h"
#include "device.cuh"

#include <algorithm>
#include <dlfcn.h>

#define RUNS 15
#define THREADS 256

/* Copies `count` vectors. */
__global__ void __launch_bounds__(THREADS)
    copy(size_t count, const float4 *__restrict__ from, float4 *__restrict__ to)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}

/* The median of the seconds that `work` takes on the device, after one round to warm up. */
template <class Work> static double median_seconds(const Work &work)
{
    cudaEvent_t begin, end;
    float milliseconds[RUNS];
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    work();
    for (float &of_run : milliseconds) {
        CHECK(cudaEventRecord(begin));
        work();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&of_run, begin, end));
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    std::sort(milliseconds, milliseconds + RUNS);
    return 1e-3 * milliseconds[RUNS / 2];
}

static void measure_copy(size_t bytes)
{
    const size_t count = bytes / sizeof(float4);
    device_array<float4> from(count);
    const device_array<float4> to(count);
    const unsigned blocks = (unsigned)((count + THREADS - 1) / THREADS);
    from.clear();
    const double seconds = median_seconds([&] {
        copy<<<blocks, THREADS>>>(count, from, to);
        CHECK(cudaGetLastError());
    });
    printf("copy %zu %.9f\n", 2 * count * sizeof(float4), seconds);
}

/* A function of the library, as cublas_v2.h declares it. */
typedef int create_function(void **handle);
typedef int product_function(void *handle, int transpose_a, int transpose_b, int rows, int columns,
                             int inner, const float *alpha, const float *a, int a_stride,
                             const float *b, int b_stride, const float *beta, float *c,
                             int c_stride);

static void measure_product(int size)
{
    void *library = NULL;
    for (const char *name : {"libcublas.so", "libcublas.so.13", "libcublas.so.12"})
        if (library == NULL)
            library = dlopen(name, RTLD_NOW);
    if (library == NULL)
        return;
    create_function *create = (create_function *)dlsym(library, "cublasCreate_v2");
    product_function *product = (product_function *)dlsym(library, "cublasSgemm_v2");
    void *handle;
    if (create == NULL || product == NULL || create(&handle) != 0)
        return;
    const size_t count = (size_t)size * (size_t)size;
    const device_array<float> a(count), b(count), c(count);
    const float one = 1.0f, zero = 0.0f;
    int failed = 0;
    CHECK(cudaMemset(a, 0x3f, count * sizeof(float))); /* 0.747, since zeros cost less */
    CHECK(cudaMemset(b, 0x3f, count * sizeof(float)));
    const double seconds = median_seconds([&] {
        failed |= product(handle, 0, 0, size, size, size, &one, a, size, b, size, &zero, c, size);
    });
    if (!failed)
        printf("product %.0f %.9f\n", 2.0 * size * size * size, seconds);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        fail("usage: %s BYTES SIZE", argv[0]);
    const int bytes = number_argument(argv[1], 16, INT32_MAX, "bytes");
    const int size = number_argument(argv[2], 0, 32768, "size");
    measure_copy((size_t)bytes);
    if (size > 0)
        measure_product(size);
    return 0;
}
