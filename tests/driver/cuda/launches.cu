// Kernels in every way to name them in a launch; prints what they compute.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>

#define CHECK(call)                                                            \
    do {                                                                       \
        const cudaError_t error = (call);                                      \
        if (error != cudaSuccess) {                                            \
            printf("%s: %s\n", #call, cudaGetErrorString(error));              \
            return 1;                                                          \
        }                                                                      \
    } while (0)

template <class T> __global__ void scale(T *values, T factor, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        values[i] *= factor;
}

template <int step, class T> __global__ void shift(const T *from, T *to)
{
    to[threadIdx.x] = from[(threadIdx.x + step) % blockDim.x];
}

// As much shared memory as a launch asks for, in the template's type.
template <class T> __global__ void turn(T *values)
{
    extern __shared__ __align__(8) unsigned char bytes[];
    T *tile = reinterpret_cast<T *>(bytes);
    tile[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

__global__ void fill(float *values, float value)
{
    values[threadIdx.x] = value;
}

__global__ void fill(int *values, int value)
{
    values[threadIdx.x] = value;
}

__global__ void add_one(float *values)
{
    values[threadIdx.x] += 1.0f;
}

__global__ void twice(float *values)
{
    values[threadIdx.x] *= 2.0f;
}

typedef void (*kernel_type)(float *);

struct step {
    kernel_type kernel;
    dim3 grid, block;
};

static void all_of(const step *steps, int count, float *values)
{
    for (int i = 0; i < count; i++)
        steps[i].kernel<<<steps[i].grid, steps[i].block>>>(values);
}

template <void (*kernel)(float *)> static void constant(float *values)
{
    kernel<<<1, 32>>>(values);
}

template <class Kernel, class... Arguments>
static void any(Kernel kernel, cudaStream_t stream, Arguments... arguments)
{
    kernel<<<1, 32, 0, stream>>>(arguments...);
}

/* What is a pointer for a kernel, but no pointer. */
class array {
  public:
    explicit array(size_t count) : count(count) { cudaMalloc(&values, count * sizeof(float)); }
    array(const array &) = delete;
    ~array() { cudaFree(values); }
    operator float *() const { return values; }

    float total() const
    {
        float host[64], sum = 0.0f;
        cudaMemcpy(host, values, count * sizeof(float), cudaMemcpyDeviceToHost);
        for (size_t i = 0; i < count; i++)
            sum += host[i] * (i + 1);
        return sum;
    }

  private:
    float *values;
    size_t count;
};

__noinline__ __device__ static int own_rank()
{
    return (int)cooperative_groups::this_thread_block().thread_rank();
}

__global__ void ranks(int *values, int offset)
{
    values[own_rank()] = own_rank() + offset;
}

__global__ void preset(int *to, int n = 4, int value = 9)
{
    const int i = threadIdx.x;
    if (i < n)
        to[i] = value;
}

int main()
{
    const array values(32);
    float *const plain = values;
    int *numbers, host[32];
    cudaStream_t stream;
    CHECK(cudaMalloc(&numbers, sizeof host));
    CHECK(cudaStreamCreate(&stream));

    fill<<<1, 32>>>(values, 1);
    scale<<<dim3(2), dim3(16)>>>(plain, 3.0f, 31);
    scale<float><<<{2, 1, 1}, {16, 1}>>>(values, 2, 32);
    CHECK(cudaGetLastError());
    printf("deduced %g\n", values.total());

    fill<<<1, 32>>>(numbers, 7);
    CHECK(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
    printf("overloaded %d\n", host[31]);

    const step steps[] = {{add_one, 1, 32}, {twice, dim3(1), dim3(32, 1, 1)}, {add_one, {1}, {16}}};
    all_of(steps, 3, values);
    const kernel_type table[2] = {add_one, twice};
    for (int i = 0; i < 2; i++)
        table[i]<<<1, 32>>>(values);
    const bool is_more = values.total() > 0;
    (is_more ? add_one : twice)<<<1, 32>>>(plain);
    constant<twice>(values);
    any(add_one, stream, plain);
    any(scale<float>, stream, plain, 0.5f, 8);
    CHECK(cudaStreamSynchronize(stream));
    printf("pointers %g\n", values.total());

    float *other;
    CHECK(cudaMalloc(&other, 16384 * sizeof(double)));
    CHECK(cudaMemset(other, 0, 16384 * sizeof(double)));
    shift<5><<<1, 32>>>(plain, other);
    CHECK(cudaMemcpy(values, other, 32 * sizeof *other, cudaMemcpyDeviceToDevice));
    turn<<<1, 32, 32 * sizeof(float), stream>>>(plain);
    CHECK(cudaGetLastError());
    printf("partly given %g\n", values.total());

    turn<<<1, 1024, 100 * 1024>>>(other);
    printf("too much: %s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaFuncSetAttribute(turn<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    turn<<<1, 1024, 100 * 1024>>>(other);
    printf("allowed: %s\n", cudaGetErrorName(cudaGetLastError()));
    add_one<<<1, 1025>>>(values);
    printf("too large: %s\n", cudaGetErrorName(cudaGetLastError()));

    int offset = 100;
    void *arguments[] = {&numbers, &offset};
    CHECK(cudaLaunchKernel((const void *)ranks, dim3(1), dim3(8, 4), arguments, 0, stream));
    CHECK(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
    printf("by a call %d\n", host[31]);

    CHECK(cudaMemset(numbers, 0, sizeof host));
    preset<<<1, 32>>>(numbers);
    preset<<<1, 32>>>(numbers + 8, 3L);
    preset<<<1, 32, 0, stream>>>(numbers + 16, 2, 'a');
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost));
    printf("default values %d %d %d %d\n", host[3], host[10], host[11], host[17]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(other));
    CHECK(cudaFree(numbers));
    return 0;
}
