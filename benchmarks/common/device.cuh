/*
 * What the forms in CUDA share: errors, memory of the device, and the time of kernels and copies.
 *
 * With ACCRS_TRACE=1 in the environment they tell of each on standard error, as the forms with
 * directives do.
 */
#ifndef BENCHMARKS_DEVICE_CUH
#define BENCHMARKS_DEVICE_CUH

#include <cuda_runtime.h>

#include "clock.h"
#include "program.h"

/* Ends the program if a call of CUDA's failed. */
#define CHECK(call) check(call, #call)

static inline void check(cudaError_t error, const char *call)
{
    if (error != cudaSuccess)
        fail("%s: %s", call, cudaGetErrorString(error));
}

/* Blocks of `size` that hold `count` elements. */
static inline int blocks_for(int count, int size)
{
    return (count + size - 1) / size;
}

#define WHOLE_WARP 0xffffffffu /* all lanes take part */

static inline bool device_is_traced()
{
    const char *wish = getenv("ACCRS_TRACE");
    return wish != NULL && strcmp(wish, "1") == 0;
}

/* Tells of a copy that was begun then. */
static inline void device_tell_copy(const char *direction, size_t bytes, double begun)
{
    if (device_is_traced())
        fprintf(stderr, "accrs trace: %s bytes=%zu us=%.1f\n", direction, bytes,
                1e6 * (clock_seconds() - begun));
}

/* `bytes` to or from the device; what it had to do before is done then. */
static inline void device_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const double begun = clock_seconds();
    CHECK(cudaMemcpy(to, from, bytes, kind));
    device_tell_copy(kind == cudaMemcpyHostToDevice ? "to-device" : "to-host", bytes, begun);
}

/* The first `bytes` of a variable in constant memory; launches before have read what it had. */
template <class T>
static inline void device_constant(const T &variable, const void *from, size_t bytes)
{
    const double begun = clock_seconds();
    CHECK(cudaMemcpyToSymbol(variable, from, bytes));
    device_tell_copy("to-device", bytes, begun);
}

/* `count` values on the device, as long as it is in scope; a pointer to them where one is wanted. */
template <class T> class device_array {
  public:
    explicit device_array(size_t count) : values(NULL), count(count)
    {
        CHECK(cudaMalloc(&values, count * sizeof(T)));
    }

    /* Begins with the values of the host. */
    device_array(const T *host, size_t count) : device_array(count)
    {
        device_copy(values, host, count * sizeof(T), cudaMemcpyHostToDevice);
    }

    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;

    ~device_array()
    {
        CHECK(cudaFree(values));
    }

    operator T *() const
    {
        return values;
    }

    /* The host's values to those from `first` on. */
    void upload(const T *host, size_t first, size_t number) const
    {
        device_copy(values + first, host, number * sizeof(T), cudaMemcpyHostToDevice);
    }

    /* All values back to the host. */
    void download(T *host) const
    {
        download(host, count);
    }

    /* The first of them. */
    void download(T *host, size_t number) const
    {
        device_copy(host, values, number * sizeof(T), cudaMemcpyDeviceToHost);
    }

    /* All bytes zero, in the order of launches. */
    void clear()
    {
        CHECK(cudaMemsetAsync(values, 0, count * sizeof(T)));
    }

    /* Each is what the other was. */
    void swap(device_array &other)
    {
        T *const swapped = values;
        values = other.values;
        other.values = swapped;
    }

  private:
    T *values;
    size_t count;
};

static inline int device_multiprocessors()
{
    int device, multiprocessors;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return multiprocessors;
}

/* Performs a launch of this kernel. */
template <class Launch> static inline void device_launch(const char *kernel, const Launch &launch)
{
    static const bool is_traced = device_is_traced();
    if (!is_traced) {
        launch();
        CHECK(cudaGetLastError());
        return;
    }
    cudaEvent_t begin, end;
    float milliseconds;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    const double asked = clock_seconds();
    launch();
    const double done = clock_seconds();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    fprintf(stderr, "accrs trace: launch %s us=%.3f host-us=%.3f\n", kernel, 1e3 * milliseconds,
            1e6 * (done - asked));
}

#endif
