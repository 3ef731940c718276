// SPDX-License-Identifier: 0BSD
#include "accrs_device.hpp"

namespace dot_acc {

// dot.c:6: parallel loop reduction(+:sum)
__global__ void __launch_bounds__(256)
dot_kernel(int n, const double *__restrict__ x, accrs::GridResult<double> sum_result)
{
    double sum = accrs::Sum::identity<double>();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * x[i];
    accrs::reduce_grid<256>(accrs::of_threads<accrs::Sum>(sum, sum_result));
}

// dot.c:9: parallel loop reduction(max:longest)
__global__ void __launch_bounds__(96)
longest_kernel(int n, const double *__restrict__ x, accrs::GridResult<double> longest_result)
{
    double longest = accrs::Max::identity<double>();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        longest = accrs::Max::apply(longest, x[i]);
    accrs::reduce_grid<96>(accrs::of_threads<accrs::Max>(longest, longest_result));
}

} // namespace dot_acc

extern "C" void dot_launch(int n, double *x, double *sum)
{
    using namespace dot_acc;
    double *d_x = accrs::device(x, "x");
    const dim3 block(256);
    dim3 grid = accrs::grid(block, n);
    grid = accrs::reduction_grid(grid, block);
    accrs::GridReduction<double> sum_result(grid, sum, "sum");
    dot_kernel<<<grid, block, 0, accrs::stream()>>>(n, d_x, sum_result.of_kernel());
    accrs::launched("dot_kernel", grid, block, 0);
    sum_result.finish();
}

extern "C" void longest_launch(int n, double *x, double *longest)
{
    using namespace dot_acc;
    double *d_x = accrs::device(x, "x");
    const dim3 block(96);
    const dim3 grid = accrs::grid(block, accrs::Gangs{7}, n);
    accrs::GridReduction<double> longest_result(grid, longest, "longest");
    longest_kernel<<<grid, block, 0, accrs::stream()>>>(n, d_x, longest_result.of_kernel());
    accrs::launched("longest_kernel", grid, block, 0);
    longest_result.finish();
}
