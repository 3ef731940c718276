// header
#include "accrs_device.hpp"

namespace saxpy_acc {

// saxpy.c:1: test
__global__ void __launch_bounds__(256)
saxpy_kernel(int n, int new_, const double *__restrict__ x, double *y)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        y[i] = new_ * x[i] + y[i];
}

extern "C" void saxpy_launch(int n, int new_, double *x, double *y)
{
    double *d_x = accrs::device(x, "x");
    double *d_y = accrs::device(y, "y");
    const dim3 block(256);
    const dim3 grid = accrs::grid(block, n);
    saxpy_kernel<<<grid, block, 0, accrs::stream()>>>(n, new_, d_x, d_y);
    accrs::launched("saxpy_kernel", grid, block, 0);
}

} // namespace saxpy_acc
