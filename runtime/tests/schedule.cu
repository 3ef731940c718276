// SPDX-License-Identifier: 0BSD
//
// Prints the order in which threads and blocks began (on one processor: every thread draws a
// number). run.sh compares the orders that ACCRS_SCHEDULE asks for.
#include "accrs_device.hpp"

__global__ void order_kernel(int *drawn, int *order)
{
    order[atomicAdd(drawn, 1)] = static_cast<int>(blockIdx.x * 100 + threadIdx.x);
    __syncthreads();
}

int main()
{
    accrs::Scratch<int> drawn(1), order(12);
    int host[12];
    accrs::check(cudaMemset(drawn.data(), 0, sizeof(int)), "clearing");
    order_kernel<<<3, 4, 0, accrs::stream()>>>(drawn.data(), order.data());
    accrs::launched("order_kernel", dim3(3), dim3(4), 0);
    accrs::check(cudaMemcpy(host, order.data(), sizeof host, cudaMemcpyDeviceToHost), "copying");
    for (int number : host)
        std::printf("%d ", number);
    std::printf("\n");
    return 0;
}
