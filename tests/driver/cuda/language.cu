// What hand-written CUDA is made of, each once; prints what it computes.
#include <cstdio>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                            \
    do {                                                                       \
        if (const cudaError_t error = (call)) {                                \
            printf("%s: %s\n", #call, cudaGetErrorString(error));              \
            return 1;                                                          \
        }                                                                      \
    } while (0)
#define LAUNCH(kernel, ...)                                                    \
    kernel<<<2, 64>>>(__VA_ARGS__); /* in a macro */                           \
    CHECK(cudaGetLastError())

__constant__ float weights[4];

namespace kernels {

template <int count, class T> __global__ void __launch_bounds__(64) scale(const T *from, T *to)
{
    for (int k = 0; k < count; k++)
        to[(blockIdx.x * blockDim.x + threadIdx.x) * count + k] =
            from[(blockIdx.x * blockDim.x + threadIdx.x) * count + k] * T(count);
}

} // namespace kernels

// Vectors, constants, minima.
__global__ void weigh(const float4 *from, float *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = from[i];
    const float4 w = make_float4(weights[0], weights[1], weights[2], weights[3]);
    to[i] = min(max(v.x * w.x, v.y * w.y), fmaxf(v.z * w.z, v.w * w.w)) + min(i, 3);
}

// Dynamic shared memory in two types, warps.
__global__ void sums(const float *from, float *to, int *votes)
{
    extern __shared__ __align__(16) float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = from[i];
    __syncthreads();
    float value = tile[blockDim.x - 1 - threadIdx.x];
    const unsigned vote = __ballot_sync(0xffffffffu, value > 60.0f);
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(to, value);
        atomicAdd(votes, __popc(vote));
    }
}

// Two stages of asynchronous copies, the next under way while one is used.
__global__ void piped(const float4 *from, float *to, int stages)
{
    __shared__ float4 stage[2][64];
    float sum = 0.0f;
    __pipeline_memcpy_async(&stage[0][threadIdx.x], &from[threadIdx.x], sizeof(float4));
    __pipeline_commit();
    for (int s = 0; s < stages; s++) {
        if (s + 1 < stages)
            __pipeline_memcpy_async(&stage[(s + 1) % 2][threadIdx.x],
                                    &from[(s + 1) * 64 + threadIdx.x], sizeof(float4),
                                    s == 0 ? 8 : 0);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const float4 other = stage[s % 2][63 - threadIdx.x];
        sum += other.x + 2 * other.y + 3 * other.z + 4 * other.w;
        __syncthreads();
    }
    to[threadIdx.x] = sum;
}

static float total(const float *values, int count)
{
    float sum = 0.0f;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

int main()
{
    const int count = 512;
    float host[count], back[count];
    for (int i = 0; i < count; i++)
        host[i] = static_cast<float>(i % 100);
    float *from, *to;
    int *votes, voted = 0;
    CHECK(cudaMalloc(&from, sizeof host));
    CHECK(cudaMalloc(&to, sizeof host));
    CHECK(cudaMalloc(&votes, sizeof *votes));
    CHECK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    cudaEvent_t begin, end;
    cudaStream_t stream;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventRecord(begin, stream));
    kernels::scale<4, float><<<dim3{2, 1, 1}, (count >> 3), 0, stream>>>(from, to);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost));
    printf("scale %g\n", total(back, count));

    const float four[] = {1.0f, 2.0f, 0.5f, -1.0f};
    CHECK(cudaMemcpyToSymbol(weights, four, sizeof four));
    LAUNCH(weigh, reinterpret_cast<const float4 *>(from), to);
    CHECK(cudaMemcpy(back, to, count / 4 * sizeof *back, cudaMemcpyDeviceToHost));
    printf("weigh %g\n", total(back, count / 4));

    CHECK(cudaMemset(to, 0, sizeof *to));
    CHECK(cudaMemset(votes, 0, sizeof *votes));
    sums<<<8, 64, 64 * sizeof(float), stream>>>(from, to, votes);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back, to, sizeof *back, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&voted, votes, sizeof voted, cudaMemcpyDeviceToHost));
    printf("sums %g of %g, %d votes\n", back[0], total(host, count), voted);

    piped<<<1, 64>>>(reinterpret_cast<const float4 *>(from), to, 2);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(back, to, 64 * sizeof *back, cudaMemcpyDeviceToHost));
    printf("piped %g, not k<<<1, 2>>>(3)\n", total(back, 64));
    puts(R"x(raw "k<<<1, 2>>>(3)")x");
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(votes));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return 0;
}
