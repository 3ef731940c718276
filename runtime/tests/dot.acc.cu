// SPDX-License-Identifier: 0BSD
#include "accrs_device.hpp"

namespace dot_acc {

// dot.c:6: parallel loop reduction(+:sum)
__global__ void __launch_bounds__(256)
dot_kernel(int n, const double *__restrict__ x, double *sum_partials)
{
    double sum = accrs::Sum::identity<double>();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * x[i];
    accrs::store_partial<accrs::Sum>(sum_partials, sum);
}

// dot.c:9: parallel loop reduction(max:longest)
__global__ void __launch_bounds__(96)
longest_kernel(int n, const double *__restrict__ x, double *longest_partials)
{
    double longest = accrs::Max::identity<double>();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        longest = accrs::Max::apply(longest, x[i]);
    accrs::store_partial<accrs::Max>(longest_partials, longest);
}

} // namespace dot_acc

extern "C" void dot_launch(int n, double *x, double *sum)
{
    using namespace dot_acc;
    double *d_x = accrs::device(x, "x");
    const dim3 block(256);
    const dim3 grid = accrs::grid(block, n);
    accrs::Partials<double> sum_partials(grid);
    dot_kernel<<<grid, block, 0, accrs::stream()>>>(n, d_x, sum_partials.data());
    accrs::launched("dot_kernel", grid, block, 0);
    sum_partials.finish<accrs::Sum>(sum, "sum");
}

extern "C" void longest_launch(int n, double *x, double *longest)
{
    using namespace dot_acc;
    double *d_x = accrs::device(x, "x");
    const dim3 block(96);
    const dim3 grid = accrs::grid(block, accrs::Gangs{7}, n);
    accrs::Partials<double> longest_partials(grid);
    longest_kernel<<<grid, block, 0, accrs::stream()>>>(n, d_x, longest_partials.data());
    accrs::launched("longest_kernel", grid, block, 0);
    longest_partials.finish<accrs::Max>(longest, "longest");
}
