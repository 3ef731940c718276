// SPDX-License-Identifier: 0BSD
#include "accrs_device.hpp"

namespace stencil_acc {

// stencil.c:20: parallel loop collapse(2), `from` in shared tiles with a ghost ring
__global__ void __launch_bounds__(256)
stencil_kernel(int rows, int columns, const float *__restrict__ from, float *to)
{
    __shared__ float tile[10][34];
    const int row0 = blockIdx.y * 8 - 1;
    const int column0 = blockIdx.x * 32 - 1;
    for (int i = threadIdx.x + threadIdx.y * 32; i < 10 * 34; i += 256) {
        const int r = row0 + i / 34;
        const int c = column0 + i % 34;
        tile[i / 34][i % 34] = r >= 0 && r < rows && c >= 0 && c < columns ? from[r * columns + c] : 0.0f;
    }
    __syncthreads();
    const int r = blockIdx.y * 8 + threadIdx.y;
    const int c = blockIdx.x * 32 + threadIdx.x;
    const int y = threadIdx.y + 1;
    const int x = threadIdx.x + 1;
    if (r < rows && c < columns)
        to[r * columns + c] = 0.2f * (tile[y][x] + tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1]);
}

} // namespace stencil_acc

extern "C" void stencil_launch(int rows, int columns, float *from, float *to)
{
    using namespace stencil_acc;
    float *d_from = accrs::device(from, "from");
    float *d_to = accrs::device(to, "to");
    const dim3 block(32, 8);
    const dim3 grid = accrs::grid(block, columns, rows);
    stencil_kernel<<<grid, block, 0, accrs::stream()>>>(rows, columns, d_from, d_to);
    accrs::launched("stencil_kernel", grid, block, 0);
}
