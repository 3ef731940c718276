// Programs of textbooks, small: a convolution with constant memory, a transposition, a histogram, a
// scan, streams with pinned memory, pitched and managed memory, warps; prints what they compute.
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <stdio.h>

#define CHECK(call)                                                            \
    do {                                                                       \
        const cudaError_t error = (call);                                      \
        if (error != cudaSuccess) {                                            \
            printf("%s: %s\n", #call, cudaGetErrorString(error));              \
            return 1;                                                          \
        }                                                                      \
    } while (0)

#define RADIUS 2
#define TILE 16
#define BINS 8

__constant__ int mask[2 * RADIUS + 1];
__device__ int touched;
__managed__ int managed_sum;

// With a halo in shared memory.
__global__ void convolve(const int *from, int *to, int width)
{
    __shared__ int tile[TILE + 2 * RADIUS];
    const int i = blockIdx.x * TILE + threadIdx.x - RADIUS;
    tile[threadIdx.x] = i >= 0 && i < width ? __ldg(&from[i]) : 0;
    __syncthreads();
    if (threadIdx.x < TILE && i + RADIUS < width) {
        int sum = 0;
#pragma unroll
        for (int k = 0; k <= 2 * RADIUS; k++)
            sum += mask[k] * tile[threadIdx.x + k];
        to[i + RADIUS] = sum;
        atomicAdd(&touched, 1);
    }
}

__global__ void transpose(const float *from, float *to, int rows, int columns)
{
    __shared__ float tile[TILE][TILE + 1];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = from[y * columns + x];
    __syncthreads();
    const int column = blockIdx.y * TILE + threadIdx.x, row = blockIdx.x * TILE + threadIdx.y;
    if (column < rows && row < columns)
        to[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}

// Bins, and beside them how often a warp met equal values: two arrays in what the launch gives.
__global__ void histogram(const unsigned char *from, int count, unsigned *bins, unsigned *equal)
{
    extern __shared__ unsigned shared[];
    unsigned *own_bins = shared;
    unsigned short *own_equal = (unsigned short *)&shared[BINS];
    if (threadIdx.x < BINS)
        own_bins[threadIdx.x] = 0;
    if (threadIdx.x < blockDim.x / warpSize)
        own_equal[threadIdx.x] = 0;
    __syncthreads();
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        atomicAdd_block(&own_bins[from[i] % BINS], 1u);
        const unsigned same = __match_any_sync(0xffffffff, from[i] % BINS);
        if (__ffs(same) - 1 == (int)(threadIdx.x % warpSize) && __popc(same) > 4)
            atomicAdd(equal, 1u);
    }
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], own_bins[threadIdx.x]);
}

// The sums of all values up to each, a block by Hillis and Steele's method in dynamic shared memory.
template <typename T> __global__ void scan(T *values, int count)
{
    extern __shared__ __align__(sizeof(double)) char memory[];
    T *sums = reinterpret_cast<T *>(memory);
    const int i = threadIdx.x;
    int from = 0;
    sums[i] = i < count ? values[i] : T(0);
    __syncthreads();
    for (int offset = 1; offset < count; offset *= 2) {
        const int to = 1 - from;
        sums[to * blockDim.x + i] =
            i >= offset ? sums[from * blockDim.x + i] + sums[from * blockDim.x + i - offset]
                        : sums[from * blockDim.x + i];
        from = to;
        __syncthreads();
    }
    if (i < count)
        values[i] = sums[from * blockDim.x + i];
}

struct square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};

template <class Function> __global__ void apply(int *values, Function function)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = function(values[i]);
}

__global__ void warps(const int *from, int *sums)
{
    const int lane = threadIdx.x & 31;
    const int value = from[threadIdx.x];
    int inclusive = value;
    for (int d = 1; d < 32; d <<= 1) {
        const int other = __shfl_up_sync(~0u, inclusive, d);
        if (lane >= d)
            inclusive += other;
    }
    const unsigned odd = __ballot_sync(~0u, value & 1);
    if (lane == 31)
        atomicAdd(&sums[0], inclusive);
    if (__any_sync(~0u, value == 40) && lane == 0)
        atomicExch(&sums[1], __popc(odd));
    if (__all_sync(~0u, value < 1000) && lane == 0)
        atomicOr(&sums[2], 1 << (threadIdx.x / 32));
    atomicCAS(&sums[3], 0, 77);
    const int halves = __shfl_xor_sync(~0u, value, 8, 16) + __shfl_sync(~0u, value, 3, 8);
    atomicMax(&sums[4], halves + __shfl_down_sync(~0u, value, 2));
}

__global__ void rows(const int *pitched, size_t pitch, int width, int height)
{
    int sum = 0;
    for (int row = 0; row < height; row++)
        for (int x = threadIdx.x; x < width; x += blockDim.x)
            sum += ((const int *)((const char *)pitched + row * pitch))[x] * (row + 1);
    atomicAdd(&managed_sum, sum);
}

static void CUDART_CB note(void *data)
{
    ++*(int *)data;
}

int main()
{
    int numbers[100], convolved[100], weights[2 * RADIUS + 1] = {1, -2, 4, -2, 1}, count = 0;
    int *from, *to;
    for (int i = 0; i < 100; i++)
        numbers[i] = i * i % 17;
    CHECK(cudaMalloc((void **)&from, sizeof numbers));
    CHECK(cudaMalloc((void **)&to, sizeof numbers));
    CHECK(cudaMemcpy(from, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(mask, weights, 3 * sizeof(int)));
    CHECK(cudaMemcpyToSymbol(mask, weights + 3, 2 * sizeof(int), 3 * sizeof(int)));
    CHECK(cudaMemcpyToSymbol(touched, &count, sizeof count));
    convolve<<<(100 + TILE - 1) / TILE, TILE + 2 * RADIUS>>>(from, to, 100);
    CHECK(cudaMemcpyFromSymbol(&count, touched, sizeof count));
    CHECK(cudaMemcpy(convolved, to, sizeof convolved, cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += (i + 1) * convolved[i];
    printf("convolution %d of %d\n", sum, count);

    float matrix[20 * 35], turned[20 * 35], *rows_first, *columns_first, most = 0.0f;
    for (int i = 0; i < 20 * 35; i++)
        matrix[i] = i;
    CHECK(cudaMalloc(&rows_first, sizeof matrix));
    CHECK(cudaMalloc(&columns_first, sizeof matrix));
    CHECK(cudaMemcpy(rows_first, matrix, sizeof matrix, cudaMemcpyDefault));
    const dim3 block(TILE, TILE), grid = dim3((35 + TILE - 1) / TILE, (20 + TILE - 1) / TILE);
    transpose<<<grid, block>>>(rows_first, columns_first, 20, 35);
    CHECK(cudaMemcpy(turned, columns_first, sizeof turned, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 35; j++)
            most = fmaxf(most, fabsf(turned[j * 20 + i] - matrix[i * 35 + j]));
    printf("transposition off by %g\n", most);

    unsigned char bytes[4096], *device_bytes;
    unsigned *bins, binned[BINS + 1];
    for (int i = 0; i < 4096; i++)
        bytes[i] = (unsigned char)(i / 7 * 31);
    CHECK(cudaMalloc(&device_bytes, sizeof bytes));
    CHECK(cudaMalloc(&bins, sizeof binned));
    CHECK(cudaMemcpy(device_bytes, bytes, sizeof bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(bins, 0, sizeof binned));
    histogram<<<4, 128, BINS * sizeof(unsigned) + 4 * sizeof(unsigned short)>>>(
        device_bytes, 4096, bins, bins + BINS);
    CHECK(cudaMemcpy(binned, bins, sizeof binned, cudaMemcpyDeviceToHost));
    printf("histogram");
    for (int i = 0; i <= BINS; i++)
        printf(" %u", binned[i]);
    printf("\n");

    double sums[100], *device_sums;
    for (int i = 0; i < 100; i++)
        sums[i] = 0.5 * i;
    CHECK(cudaMalloc(&device_sums, sizeof sums));
    CHECK(cudaMemcpy(device_sums, sums, sizeof sums, cudaMemcpyHostToDevice));
    scan<<<1, 128, 2 * 128 * sizeof(double)>>>(device_sums, 100);
    scan<int><<<1, 128, 2 * 128 * sizeof(int)>>>(from, 100);
    CHECK(cudaMemcpy(sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(numbers, from, sizeof numbers, cudaMemcpyDeviceToHost));
    printf("scans %g %d\n", sums[99], numbers[99]);

    int *pinned, called = 0;
    cudaStream_t streams[2];
    cudaEvent_t begin, end;
    float milliseconds = -1.0f;
    CHECK(cudaHostAlloc(&pinned, 64 * sizeof *pinned, cudaHostAllocDefault));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < 64; i++)
        pinned[i] = i;
    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventRecord(begin, 0));
    for (int s = 0; s < 2; s++) {
        const size_t part = 32 * sizeof *pinned;
        CHECK(cudaMemcpyAsync(to + 32 * s, pinned + 32 * s, part, cudaMemcpyHostToDevice, streams[s]));
        apply<<<1, 32, 0, streams[s]>>>(to + 32 * s, square());
        CHECK(cudaMemcpyAsync(pinned + 32 * s, to + 32 * s, part, cudaMemcpyDeviceToHost, streams[s]));
        CHECK(cudaLaunchHostFunc(streams[s], note, &called));
    }
    CHECK(cudaStreamWaitEvent(streams[1], begin, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(end, 0));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    sum = 0;
    for (int i = 0; i < 64; i++)
        sum += pinned[i];
    printf("streams %d, %d calls, %s\n", sum, called, milliseconds >= 0.0f ? "in time" : "out of time");
    for (cudaStream_t stream : streams)
        CHECK(cudaStreamDestroy(stream));

    int of_warps[5] = {0};
    for (int i = 0; i < 64; i++)
        pinned[i] = i;
    CHECK(cudaMemcpy(from, pinned, 64 * sizeof *pinned, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(to, 0, sizeof of_warps));
    warps<<<1, 64>>>(from, to);
    CHECK(cudaMemcpy(of_warps, to, sizeof of_warps, cudaMemcpyDeviceToHost));
    printf("warps %d %d %d %d %d\n", of_warps[0], of_warps[1], of_warps[2], of_warps[3], of_warps[4]);

    int *pitched, *managed;
    size_t pitch;
    CHECK(cudaMallocPitch(&pitched, &pitch, 25 * sizeof(int), 4));
    CHECK(cudaMemcpy2D(pitched, pitch, numbers, 25 * sizeof(int), 25 * sizeof(int), 4,
                       cudaMemcpyHostToDevice));
    CHECK(cudaMallocManaged(&managed, 32 * sizeof *managed));
    for (int i = 0; i < 32; i++)
        managed[i] = 2 * i;
    managed_sum = 0;
    rows<<<1, 8>>>(pitched, pitch, 25, 4);
    apply<<<2, 16>>>(managed, square());
    CHECK(cudaDeviceSynchronize());
    sum = 0;
    for (int row = 0; row < 4; row++)
        for (int x = 0; x < 25; x++)
            sum -= numbers[row * 25 + x] * (row + 1);
    printf("pitched %d, managed %d\n", sum + managed_sum, managed[31]);
    CHECK(cudaDeviceReset());
    return 0;
}
