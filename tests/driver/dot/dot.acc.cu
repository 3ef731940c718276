// Written by hand in the form of a translation of dot.c.
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
