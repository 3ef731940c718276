// A program of C++ with launches of all kinds: guarded, exact, kept; with streams and templates.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "kernels.cuh"

#define BLOCK 256

__global__ void fill(float *x, float value)
{
    x[(blockDim.x * blockIdx.x) + threadIdx.x] = value;
}

__global__ void reverse(float *x)
{
    __shared__ float tile[BLOCK];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[BLOCK - 1 - threadIdx.x] = x[i];
    __syncthreads();
    x[i] = tile[threadIdx.x];
}

class Vector {
public:
    explicit Vector(int n) : n_(n) { cudaMalloc(&x_, n * sizeof(float)); }
    ~Vector() { cudaFree(x_); }
    float *x() { return x_; }

    void add(Vector &other, cudaStream_t stream)
    {
#pragma AUTO-CTA n_
        axpy<<<(n_ + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(n_, 2.0f, other.x_, x_);
    }

private:
    int n_;
    float *x_ = nullptr;
};

int main(int argc, char **argv)
{
    const int n = std::atoi(argv[1]), padded = (n + BLOCK - 1) / BLOCK * BLOCK;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    Vector a(padded), b(padded);
    if (argc == 2)
        #pragma AUTO-CTA padded // all of them
        fill<<<padded / BLOCK, BLOCK>>>(a.x(), 1.5f);
    #pragma AUTO-CTA padded
    iota<float><<<padded / BLOCK,
                  BLOCK>>>(b.x(), padded);
    b.add(a, stream);
    #pragma AUTO-CTA padded
    reverse<<<padded / BLOCK, BLOCK, 0, stream>>>(b.x());
    std::vector<float> host(padded);
    cudaMemcpy(host.data(), b.x(), padded * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < padded; i++)
        std::cout << host[i] << "\n";
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
