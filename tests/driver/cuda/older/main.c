/* The host's part in C, with calls of the run time. */
#include <cuda_runtime.h>
#include <stdio.h>

void scale(float *x, int n, float by);
int multiprocessors(void);

int main(void)
{
    enum { N = 100 };
    float x[N], *d_x;
    struct cudaDeviceProp properties;
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    if (cudaMalloc((void **)&d_x, sizeof x) != cudaSuccess)
        return 1;
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    scale(d_x, N, 3.0f);
    enum cudaError error = cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost);
    printf("%s %g %g\n", cudaGetErrorName(error), x[1], x[N - 1]);
    printf("%s\n", cudaGetErrorName(cudaErrorPriorLaunchFailure));
    cudaFree(d_x);
    cudaGetDeviceProperties(&properties, 0);
    /* Programs with two streams ask for what every GPU of today has. */
    printf("%d\n", properties.multiProcessorCount == multiprocessors() && properties.deviceOverlap &&
                       properties.concurrentKernels && properties.asyncEngineCount > 1);
    return 0;
}
