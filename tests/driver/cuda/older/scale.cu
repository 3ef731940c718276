// A kernel and its launch are in included files, as in programs of CUDA's first years.
#include "parts/launch.cu"

extern "C" void scale(float *x, int n, float by)
{
    launch(x, n, by);
    cudaError status = cudaThreadSynchronize();
    if (status != cudaSuccess)
        printf("%s\n", cudaGetErrorString(status));
}
