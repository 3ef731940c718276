// C++ that is no CUDA, but asks its run time.
#include <cuda_runtime.h>

extern "C" int multiprocessors()
{
    int count = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    return count;
}
