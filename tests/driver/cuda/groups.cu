// Cooperative groups as textbooks use them; prints what they compute.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <stdio.h>

namespace cg = cooperative_groups;

#define CHECK(call)                                                            \
    do {                                                                       \
        const cudaError_t error = (call);                                      \
        if (error != cudaSuccess) {                                            \
            printf("%s: %s\n", #call, cudaGetErrorString(error));              \
            return 1;                                                          \
        }                                                                      \
    } while (0)

// The sum of a value of each thread of any group, by a tree in memory that it shares.
__device__ int sum_of(cg::thread_group group, int *memory, int value)
{
    const int rank = group.thread_rank();
    for (int half = group.size() / 2; half > 0; half /= 2) {
        memory[rank] = value;
        group.sync();
        if (rank < half)
            value += memory[rank + half];
        group.sync();
    }
    return value;
}

__global__ void by_trees(const int *from, int *of_block, int *of_tiles)
{
    __shared__ int memory[128];
    const cg::thread_block block = cg::this_thread_block();
    const int value = from[block.group_index().x * block.size() + block.thread_rank()];
    const int sum = sum_of(block, memory, value);
    if (block.thread_rank() == 0)
        atomicAdd(of_block, sum);
    const cg::thread_group tile = cg::tiled_partition(block, 8);
    const int part = sum_of(tile, memory + block.thread_rank() / 8 * 8, value);
    if (tile.thread_rank() == 0)
        atomicMax(of_tiles, part);
}

// The same by shuffles.
__global__ void by_shuffles(const int *from, int *sums, unsigned *votes)
{
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    const auto quarter = cg::tiled_partition<8>(warp);
    const int i = cg::this_grid().thread_rank();
    int value = from[i];
    for (int offset = quarter.size() / 2; offset > 0; offset /= 2)
        value += quarter.shfl_down(value, offset);
    value = quarter.shfl(value, 0);
    int before = quarter.shfl_up(value, 1);
    before += warp.shfl_xor(value, 16);
    if (quarter.thread_rank() == 0)
        atomicAdd(&sums[0], value);
    atomicAdd(&sums[1], before);
    const unsigned vote = quarter.ballot(from[i] % 3 == 0);
    const bool any = quarter.any(from[i] > 250), all = quarter.all(from[i] < 128);
    if (quarter.thread_rank() == 0)
        votes[i / 8] = vote | any << 8 | all << 9;
    const int most = cg::reduce(warp, from[i], cg::greater<int>());
    if (warp.thread_rank() == 0)
        atomicAdd(&sums[2], most * (int)(warp.meta_group_rank() + 1));
    if (from[i] % 2 == 0) {
        const cg::coalesced_group together = cg::coalesced_threads();
        if (together.thread_rank() == 0)
            atomicAdd(&sums[3], (int)together.size());
    }
}

// All blocks meet after each step: a smoothing from one array to the other.
__global__ void smooth(float *now, float *next, int count, int steps)
{
    const cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps; step++) {
        for (int i = grid.thread_rank(); i < count; i += grid.size())
            next[i] = 0.5f * now[i] + 0.25f * (now[(i + count - 1) % count] + now[(i + 1) % count]);
        grid.sync();
        float *const swap = now;
        now = next;
        next = swap;
    }
}

int main()
{
    const int count = 256;
    int host[count], *from, *sums, result[4] = {0};
    unsigned *votes, voted[count / 8], all = 0;
    for (int i = 0; i < count; i++)
        host[i] = i;
    CHECK(cudaMalloc(&from, sizeof host));
    CHECK(cudaMalloc(&sums, sizeof result));
    CHECK(cudaMalloc(&votes, sizeof voted));
    CHECK(cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(sums, 0, sizeof result));
    by_trees<<<2, 128>>>(from, &sums[0], &sums[1]);
    CHECK(cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost));
    printf("trees %d %d\n", result[0], result[1]);

    CHECK(cudaMemset(sums, 0, sizeof result));
    by_shuffles<<<4, 64>>>(from, sums, votes);
    CHECK(cudaMemcpy(result, sums, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(voted, votes, sizeof voted, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count / 8; i++)
        all = all * 31 + voted[i];
    printf("shuffles %d %d %d %d, votes %u\n", result[0], result[1], result[2], result[3], all);

    float values[100], *now, *next;
    int blocks = 0, length = 100, steps = 5;
    for (int i = 0; i < length; i++)
        values[i] = i % 10 == 3 ? 1024.0f : 0.0f;
    CHECK(cudaMalloc(&now, sizeof values));
    CHECK(cudaMalloc(&next, sizeof values));
    CHECK(cudaMemcpy(now, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, smooth, 16, 0));
    void *arguments[] = {&now, &next, &length, &steps};
    CHECK(cudaLaunchCooperativeKernel((void *)smooth, dim3(blocks > 4 ? 4 : blocks), dim3(16), arguments));
    CHECK(cudaMemcpy(values, next, sizeof values, cudaMemcpyDeviceToHost));
    printf("smooth");
    for (int i = 0; i < 10; i++)
        printf(" %g", values[i]);
    const cudaError_t error =
        cudaLaunchCooperativeKernel((void *)smooth, dim3(100000), dim3(16), arguments);
    printf(", %s\n", cudaGetErrorName(error));
    return 0;
}
