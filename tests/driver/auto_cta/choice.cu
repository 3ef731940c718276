// Prints the blocks that launches of some sizes get: guarded, exact, and with a block limit.
#include <cstdio>

__global__ void any(int n)
{
    if (blockIdx.x * blockDim.x + threadIdx.x < n)
        return;
}

int main()
{
    int processors = 0, threads = 0, blocks = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
    cudaDeviceGetAttribute(&blocks, cudaDevAttrMaxBlocksPerMultiprocessor, 0);
    std::printf("%d %d %d\n", processors, threads, blocks);
    const long long sizes[] = {-3, 0, 1, 31, 32, 33, 64, 100, 256, 512, 1000, 1023, 1024, 1056, 1500, 4096, 4128, 9216, 100000, 1000000, 1 << 21};
    for (long long n : sizes)
        for (int divides = 0; divides < 2; divides++) {
            const accrs_cta::Launch cta = accrs_cta::configure(any, n, divides, 7, 96, 0);
            std::printf("%lld %d %u %u\n", n, divides, cta.blocks.x, cta.threads.x);
        }
    const accrs_cta::Launch plane = accrs_cta::guarded(any, 5000, dim3(2, 3), dim3(4, 5));
    std::printf("%u %u %u %u\n", plane.blocks.x, plane.blocks.y, plane.threads.x, plane.threads.y);
}
