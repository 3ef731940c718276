#pragma once

template <class T> __global__ void iota(T *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = T(i);
}

__device__ inline void multiply(float &value, float by)
{
    value *= by;
}

__global__ void axpy(int count, float a, const float *x, float *y)
{
    const int tx = threadIdx.x, bx = blockIdx.x;
    int i = bx * blockDim.x + tx;
    if (i < count) {
        float scaled = x[i];
        multiply(scaled, a);
        y[i] += scaled;
    }
}
