// SPDX-License-Identifier: 0BSD
//
// Host threads that use the device at the same time: regions of their own, one shared array.
#include "accrs.h"
#include "accrs_device.hpp"

#include <thread>
#include <vector>

namespace threads {

__global__ void __launch_bounds__(128)
sum_kernel(int n, const int *__restrict__ shared_array, const int *__restrict__ own, accrs::GridResult<long long> sum_result)
{
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += shared_array[i] + own[i];
    accrs::reduce_grid<128>(accrs::of_threads<accrs::Sum>(sum, sum_result));
}

constexpr int n = 5000;
int everyones[n];

void compute(const std::vector<int> &own, long long *sum)
{
    const int *d_everyones = accrs::device(everyones, "everyones");
    const int *d_own = accrs::device(own.data(), "own");
    const dim3 block(128);
    dim3 grid = accrs::grid(block, n);
    grid = accrs::reduction_grid(grid, block);
    accrs::GridReduction<long long> sum_result(grid, sum, "sum");
    sum_kernel<<<grid, block, 0, accrs::stream()>>>(n, d_everyones, d_own, sum_result.of_kernel());
    accrs::launched("sum_kernel", grid, block, 0);
    sum_result.finish();
}

void work(int number, int *wrong)
{
    const std::vector<int> own(n, number);
    for (int round = 0; round < 50; ++round) {
        long long sum = 0;
        accrs_begin("threads.c", 10, "parallel loop");
        if (round % 2 != 0)
            accrs_async(number);
        accrs_present("everyones", everyones, 0, sizeof everyones);
        accrs_copyin("own", own.data(), 0, n * sizeof(int));
        if (accrs::disjoint(everyones, own.data()))
            compute(own, &sum);
        accrs_end();
        accrs_at("threads.c", 12, "wait");
        accrs_wait(number);
        if (sum != n * (number + 1ll))
            ++*wrong;
    }
}

} // namespace threads

int main()
{
    for (int &element : threads::everyones)
        element = 1;
    accrs_at("threads.c", 5, "enter data");
    accrs_enter_copyin("everyones", threads::everyones, 0, sizeof threads::everyones);
    int wrong[4] = {0, 0, 0, 0};
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; ++i)
        workers.emplace_back(threads::work, i, &wrong[i]);
    for (std::thread &worker : workers)
        worker.join();
    return wrong[0] + wrong[1] + wrong[2] + wrong[3] == 0 ? 0 : 1;
}
