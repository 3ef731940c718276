// SPDX-License-Identifier: 0BSD
//
// Reductions within blocks of all kinds of shapes and types, worker rows, warp functions, atomics
// and dynamic shared memory.
#include "accrs_device.hpp"

#include <climits>

namespace blocks {

template <class Op, class T> __global__ void reduce_kernel(const T *values, T *results)
{
    const unsigned i = accrs::linear_thread();
    const T first = accrs::reduce_block<Op>(values[i]);
    const T second = accrs::reduce_block<Op>(values[i]); // again at once: scratch is free again
    results[i] = first == second ? first : values[0];
}

// The same where the code is for one shape alone.
template <class Op, class T, unsigned x, unsigned y> __global__ void known_kernel(const T *values, T *results)
{
    const unsigned i = accrs::linear_thread();
    const T first = accrs::reduce_block<Op, x, y>(values[i]);
    const T second = accrs::reduce_block<Op, x, y>(values[i]);
    results[i] = first == second ? first : values[0];
}

template <class Op, class T> __global__ void vector_kernel(const T *values, T *results)
{
    const unsigned i = accrs::linear_thread();
    T result = values[i];
    // Workers take part a different number of times.
    for (unsigned round = 0; round <= accrs::worker() % 3; ++round)
        result = accrs::reduce_vector<Op>(values[i]);
    results[i] = result;
}

template <class Op, class T, unsigned lanes, unsigned workers> __global__ void known_vector_kernel(const T *values, T *results)
{
    const unsigned i = accrs::linear_thread();
    T result = values[i];
    for (unsigned round = 0; round <= accrs::worker() % 3; ++round)
        result = accrs::reduce_vector<Op, lanes, workers>(values[i]);
    results[i] = result;
}

template <unsigned... shape> __global__ void worker_kernel(const int *values, int *results)
{
    const unsigned i = accrs::linear_thread();
    const int first = accrs::reduce_worker<accrs::Sum, shape...>(values[i]);
    results[i] = first + accrs::reduce_worker<accrs::Sum, shape...>(values[i]) - first;
}

// Sums over threads and blocks, and the last block with the largest number.
template <unsigned... shape>
__global__ void grid_kernel(accrs::GridResult<int> threads_result, accrs::GridResult<short> blocks_result,
                            accrs::GridResult<accrs::complex<double>> last_result)
{
    const int threads = static_cast<int>(accrs::linear_thread()) + 1;
    const accrs::complex<double> last{static_cast<double>(accrs::block_index()), accrs::linear_thread() == 0 ? -1.0 : 0.0};
    accrs::reduce_grid<shape...>(accrs::of_threads<accrs::Sum>(threads, threads_result),
                                 accrs::of_block<accrs::Sum>(static_cast<short>(blockIdx.x + 1), blocks_result),
                                 accrs::of_threads<accrs::Sum>(last, last_result));
}

__global__ void warp_kernel(int *failures)
{
    const int lane = static_cast<int>(threadIdx.x % 32);
    int wrong = 0;
    wrong += __shfl_sync(0xffffffffu, lane, 5) != 5;
    wrong += __shfl_up_sync(0xffffffffu, lane, 1) != (lane == 0 ? 0 : lane - 1);
    wrong += __shfl_down_sync(0xffffffffu, lane * 0.5, 2) != (lane >= 30 ? lane : lane + 2) * 0.5;
    wrong += __shfl_xor_sync(0xffffffffu, 10000000000ll + lane, 16) != 10000000000ll + (lane ^ 16);
    wrong += __shfl_sync(0xffffffffu, lane, 3, 8) != lane / 8 * 8 + 3;
    wrong += __ballot_sync(0xffffffffu, lane % 2) != 0xaaaaaaaau;
    wrong += !__any_sync(0xffffffffu, lane == 31) || __all_sync(0xffffffffu, lane != 31);
    // Two halves that meet apart from each other.
    if (lane < 16)
        wrong += __shfl_sync(0x0000ffffu, lane, 15) != 15;
    else
        wrong += __shfl_sync(0xffff0000u, lane, 31) != 31;
    wrong += __syncthreads_count(threadIdx.x % 3 == 0) != static_cast<int>((blockDim.x + 2) / 3);
    wrong += __syncthreads_or(threadIdx.x == 7) == 0 || __syncthreads_or(0) != 0;
    wrong += __syncthreads_and(1) == 0 || __syncthreads_and(threadIdx.x != 7) != 0;
    atomicAdd(failures, wrong);
}

// Lanes that have ended are not waited for in warp functions.
__global__ void ended_lanes_kernel(int *sum)
{
    if (threadIdx.x % 32 >= 20)
        return;
    const int other = __shfl_down_sync(0x000fffffu, 1, 1);
    __syncwarp(0xffffffffu);
    atomicAdd(sum, other);
}

__global__ void atomics_kernel(int *counts, float *real, unsigned long long *wide, unsigned *ring)
{
    atomicAdd(&counts[0], 1);
    atomicMax(&counts[1], static_cast<int>(blockIdx.x));
    atomicMin(&counts[2], -static_cast<int>(threadIdx.x));
    atomicOr(&counts[3], 1 << threadIdx.x % 31);
    atomicAdd(real, 1.0f);
    accrs::combine_atomically<accrs::Sum>(wide, 3ull);
    atomicInc(ring, 6);
}

__global__ void dynamic_kernel(int *results)
{
    ACCRS_DYNAMIC_SHARED(int, buffer);
    buffer[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    results[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

int failed = 0;

void expect(bool right, const char *what, dim3 block)
{
    if (!right) {
        std::fprintf(stderr, "%s: wrong in block %u,%u,%u\n", what, block.x, block.y, block.z);
        failed = 1;
    }
}

template <class T> T value_of(unsigned i)
{
    return static_cast<T>(i * 37 % 11);
}

// Expects over the group of each thread what a plain loop gives.
template <class Op, class T, class Launch> void compare(const char *what, dim3 block, unsigned group, const Launch &launch)
{
    const unsigned threads = block.x * block.y * block.z;
    T host[1024], results[1024];
    for (unsigned i = 0; i < threads; ++i)
        host[i] = value_of<T>(i);
    accrs::Scratch<T> values(threads), device_results(threads);
    accrs::check(cudaMemcpy(values.data(), host, threads * sizeof(T), cudaMemcpyHostToDevice), "copying");
    launch(values.data(), device_results.data());
    accrs::launched(what, dim3(1), block, 0);
    accrs::check(cudaMemcpy(results, device_results.data(), threads * sizeof(T), cudaMemcpyDeviceToHost), "copying");
    for (unsigned i = 0; i < threads; ++i) {
        T expected = Op::template identity<T>();
        for (unsigned j = i / group * group; j < i / group * group + group; ++j)
            expected = Op::template apply<T>(expected, host[j]);
        if (!(results[i] == expected)) {
            expect(false, what, block);
            return;
        }
    }
}

template <class Op, class T> void check_block(const char *what, dim3 block)
{
    compare<Op, T>(what, block, block.x * block.y * block.z, [&](T *values, T *results) {
        reduce_kernel<Op, T><<<1, block, 0, accrs::stream()>>>(values, results);
    });
}

template <class Op, class T> void check_vector(const char *what, dim3 block)
{
    compare<Op, T>(what, block, block.x, [&](T *values, T *results) {
        vector_kernel<Op, T><<<1, block, 0, accrs::stream()>>>(values, results);
    });
}

template <class Op, class T, unsigned x, unsigned y = 1> void check_known(const char *what)
{
    const dim3 block(x, y);
    compare<Op, T>(what, block, x * y, [&](T *values, T *results) {
        known_kernel<Op, T, x, y><<<1, block, 0, accrs::stream()>>>(values, results);
    });
}

template <class Op, class T, unsigned lanes, unsigned workers> void check_known_vector(const char *what)
{
    const dim3 block(lanes, workers);
    compare<Op, T>(what, block, lanes, [&](T *values, T *results) {
        known_vector_kernel<Op, T, lanes, workers><<<1, block, 0, accrs::stream()>>>(values, results);
    });
}

template <class T> T on_host(const T *device)
{
    T value;
    accrs::check(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost), "copying");
    return value;
}

template <unsigned... shape> void check_grid(dim3 grid, dim3 block)
{
    const int blocks = static_cast<int>(grid.x * grid.y * grid.z), threads = static_cast<int>(block.x * block.y * block.z);
    for (int round = 0; round < 2; ++round) {
        int of_threads = 7;
        short of_blocks = 3;
        accrs::complex<double> last{0.5, 0};
        accrs::GridReduction<int> threads_result(grid, &of_threads, "of_threads");
        accrs::GridReduction<short> blocks_result(grid, &of_blocks, "of_blocks");
        accrs::GridReduction<accrs::complex<double>> last_result(grid, &last, "last");
        grid_kernel<shape...><<<grid, block, 0, accrs::stream()>>>(threads_result.of_kernel(), blocks_result.of_kernel(), last_result.of_kernel());
        accrs::launched("grid_kernel", grid, block, 0);
        threads_result.finish(), blocks_result.finish(), last_result.finish();
        const int along_x = static_cast<int>(grid.x * (grid.x + 1) / 2 * grid.y * grid.z);
        expect(of_threads == 7 + blocks * (threads * (threads + 1) / 2), "a sum over threads", block);
        expect(of_blocks == 3 + along_x, "a sum over blocks", block);
        expect(last.re == 0.5 + static_cast<double>(threads) * blocks * (blocks - 1) / 2 && last.im == -blocks, "a complex sum", block);
    }
    expect(on_host(accrs::ticket()) == 0, "the counter of blocks", block);
}

void check_grids()
{
    for (const dim3 &grid : {dim3(1), dim3(2), dim3(200), dim3(3, 5, 2)}) {
        check_grid<256>(grid, dim3(256));
        check_grid<32, 8>(grid, dim3(32, 8));
        check_grid<4, 4, 4>(grid, dim3(4, 4, 4));
        check_grid<100>(grid, dim3(100));
        check_grid<1>(grid, dim3(1));
        for (const dim3 &block : {dim3(1), dim3(20), dim3(32), dim3(16, 6), dim3(7, 5, 3), dim3(1024)})
            check_grid<>(grid, block);
    }
    const dim3 many(1 << 20, 3), few = accrs::reduction_grid(many, dim3(256));
    expect(few.x * few.y < 100000 && few.x > 1000, "reduction_grid", few);
    const dim3 same = accrs::reduction_grid(dim3(7, 5), dim3(256));
    expect(same.x == 7 && same.y == 5 && same.z == 1, "reduction_grid", same);
}

// Threads of all blocks share a loop over int: its variable goes one stride beyond the end.
void check_gangs()
{
    for (const long long count : {1ll, 65536ll, 2'000'000ll, 16'777'216ll, 300'000'000ll, 2'147'000'000ll}) {
        const dim3 grid = accrs::gangs(count);
        expect(count + grid.x * 1024ll <= INT_MAX, "gangs: an int wraps", grid);
        expect(grid.x == count || grid.x >= (INT_MAX - count) / 2048, "gangs: too few", grid);
        const dim3 rows = accrs::worker_grid(dim3(32, 4), count);
        expect(rows.x == std::min<long long>(grid.x, (count + 3) / 4), "worker_grid", rows);
    }
    expect(accrs::worker_grid(dim3(32, 4), 0).x == 1, "worker_grid: none", dim3(0));
}

void check_shapes()
{
    check_known<accrs::Sum, int, 256>("sum of int");
    check_known<accrs::Max, float, 32, 8>("max of float");
    check_known<accrs::Min, double, 96>("min of double");
    check_known<accrs::Sum, accrs::complex<double>, 1024>("sum of complex");
    check_known<accrs::BitXor, unsigned char, 33>("xor of unsigned char");
    check_known<accrs::LogicalOr, bool, 16>("|| of bool");
    check_known<accrs::Sum, long long, 7, 5>("sum of long long");
    check_known<accrs::Sum, short, 1>("sum of short");
    check_known_vector<accrs::Sum, int, 32, 4>("known vector sum of int");
    check_known_vector<accrs::Max, double, 8, 12>("known vector max of double");
    check_known_vector<accrs::Sum, accrs::complex<double>, 16, 3>("known vector sum of complex");
    check_known_vector<accrs::Min, unsigned char, 1, 5>("known vector min of unsigned char");
    check_known_vector<accrs::Sum, float, 20, 1>("known vector sum of float");
    check_known_vector<accrs::Product, float, 96, 3>("known vector product of float");
    const dim3 shapes[] = {dim3(1), dim3(2), dim3(31), dim3(33), dim3(64), dim3(127), dim3(1024), dim3(7, 5, 3), dim3(1, 1, 13),
                           dim3(16, 16), dim3(3, 341)};
    for (const dim3 &block : shapes) {
        check_block<accrs::Sum, int>("sum of int", block);
        check_block<accrs::Max, float>("max of float", block);
        check_block<accrs::Min, double>("min of double", block);
        check_block<accrs::Product, unsigned long long>("product of unsigned long long", block);
        check_block<accrs::BitXor, unsigned char>("xor of unsigned char", block);
        check_block<accrs::BitAnd, short>("and of short", block);
        check_block<accrs::LogicalAnd, bool>("&& of bool", block);
        check_block<accrs::Sum, accrs::complex<double>>("sum of complex", block);
        check_block<accrs::Product, accrs::complex<float>>("product of complex", block);
    }
    const unsigned workers_wanted[] = {1, 2, 5, 15, 40};
    const unsigned lanes[] = {1, 2, 3, 8, 20, 32, 33, 64, 100, 256, 1024};
    for (const unsigned length : lanes)
        for (const unsigned workers : workers_wanted) {
            const dim3 block = accrs::worker_block(length, workers);
            check_vector<accrs::Sum, int>("vector sum of int", block);
            check_vector<accrs::Max, double>("vector max of double", block);
            check_vector<accrs::Sum, accrs::complex<double>>("vector sum of complex", block);
        }
}

template <unsigned... shape> void check_workers(dim3 block)
{
    int host[96], results[96], expected = 0;
    for (int i = 0; i < 96; ++i) {
        host[i] = i;
        expected += i % static_cast<int>(block.x) == 0 ? i : 0;
    }
    accrs::Scratch<int> values(96), device_results(96);
    accrs::check(cudaMemcpy(values.data(), host, sizeof host, cudaMemcpyHostToDevice), "copying");
    worker_kernel<shape...><<<1, block, 0, accrs::stream()>>>(values.data(), device_results.data());
    accrs::launched("worker_kernel", dim3(1), block, 0);
    accrs::check(cudaMemcpy(results, device_results.data(), sizeof results, cudaMemcpyDeviceToHost), "copying");
    for (int i = 0; i < 96; ++i)
        expect(results[i] == expected, "reduce_worker", block);
}

void check_warps_and_atomics()
{
    const dim3 grid(50);
    const dim3 block(96);
    accrs::Scratch<int> counts(8);
    accrs::Scratch<float> real(1);
    accrs::Scratch<unsigned long long> wide(1);
    accrs::Scratch<unsigned> ring(1);
    accrs::check(cudaMemset(counts.data(), 0, 8 * sizeof(int)), "clearing");
    accrs::check(cudaMemset(real.data(), 0, sizeof(float)), "clearing");
    accrs::check(cudaMemset(wide.data(), 0, sizeof(unsigned long long)), "clearing");
    accrs::check(cudaMemset(ring.data(), 0, sizeof(unsigned)), "clearing");
    warp_kernel<<<grid, block, 0, accrs::stream()>>>(counts.data() + 4);
    accrs::launched("warp_kernel", grid, block, 0);
    ended_lanes_kernel<<<grid, block, 0, accrs::stream()>>>(counts.data() + 5);
    accrs::launched("ended_lanes_kernel", grid, block, 0);
    atomics_kernel<<<grid, block, 0, accrs::stream()>>>(counts.data(), real.data(), wide.data(), ring.data());
    accrs::launched("atomics_kernel", grid, block, 0);
    int count[8];
    float real_sum;
    unsigned long long wide_sum;
    unsigned ring_end;
    accrs::check(cudaMemcpy(count, counts.data(), sizeof count, cudaMemcpyDeviceToHost), "copying");
    accrs::check(cudaMemcpy(&real_sum, real.data(), sizeof real_sum, cudaMemcpyDeviceToHost), "copying");
    accrs::check(cudaMemcpy(&wide_sum, wide.data(), sizeof wide_sum, cudaMemcpyDeviceToHost), "copying");
    accrs::check(cudaMemcpy(&ring_end, ring.data(), sizeof ring_end, cudaMemcpyDeviceToHost), "copying");
    expect(count[4] == 0, "warp functions", block);
    expect(count[5] == 50 * 60, "warp functions with lanes that have ended", block);
    expect(count[0] == 4800 && count[1] == 49 && count[2] == -95 && count[3] == 0x7fffffff, "integer atomics", block);
    expect(real_sum == 4800.0f && wide_sum == 14400 && ring_end == 4800 % 7, "other atomics", block);
}

void check_dynamic()
{
    const int threads = 1000;
    int results[threads];
    accrs::Scratch<int> device_results(threads);
    const std::size_t bytes = 60 * 1024;
    accrs::allow_shared(dynamic_kernel, bytes);
    dynamic_kernel<<<1, threads, bytes, accrs::stream()>>>(device_results.data());
    accrs::launched("dynamic_kernel", dim3(1), dim3(threads), bytes);
    accrs::check(cudaMemcpy(results, device_results.data(), sizeof results, cudaMemcpyDeviceToHost), "copying");
    for (int i = 0; i < threads; ++i)
        expect(results[i] == threads - 1 - i, "dynamic shared memory", dim3(threads));
}

void check_trips()
{
    const dim3 none(1);
    expect(accrs::trips_up(0, 10, 1) == 10 && accrs::trips_up(3, 10, 4) == 2 && accrs::trips_up(10, 3, 1) == 0, "trips_up", none);
    expect(accrs::trips_through(0, 10, 5) == 3 && accrs::trips_through(5, 5, 7) == 1 && accrs::trips_through(6, 5, 1) == 0,
           "trips_through", none);
    expect(accrs::trips_down(200, 0, 1) == 200 && accrs::trips_down(9, -1, 2) == 5, "trips_down", none);
    expect(accrs::trips_down_through(9, 0, 3) == 4 && accrs::trips_down_through(-1, 0, 3) == 0, "trips_down_through", none);
    // As C compares: -1 is large beside an unsigned bound; all of int takes 2^32 - 1 steps.
    expect(accrs::trips_up(-1, 10u, 1) == 0 && accrs::trips_up(INT_MIN, INT_MAX, 1) == 4294967295ll, "trips in mixed types", none);
    expect(accrs::int_trips_up(0, 10, 4) == 3 && accrs::int_trips_up(3, 11, 4) == 2 && accrs::int_trips_up(10, 3, 4) == 0,
           "int_trips_up", none);
    expect(accrs::trips_up(0, 5, 0) == 0 && accrs::longest(3, 9, 4) == 9, "longest", none);
}

} // namespace blocks

int main()
{
    blocks::check_trips();
    blocks::check_shapes();
    blocks::check_grids();
    blocks::check_gangs();
    blocks::check_workers<>(dim3(8, 12));
    blocks::check_workers<8, 12>(dim3(8, 12));
    blocks::check_workers<32, 3>(dim3(32, 3));
    blocks::check_warps_and_atomics();
    blocks::check_dynamic();
    return blocks::failed;
}
