// SPDX-License-Identifier: 0BSD
//
// One fault a run for the checking build, named by the argument, and for each a clean twin that
// differs in what makes it right ("NAME ok"); run.sh compares what is reported.
#include "accrs.h"
#include "accrs_device.hpp"

#include <cstring>
#include <vector>

constexpr int block_threads = 64, blocks = 3, n = block_threads * blocks;

struct Holder {
    int length;
    float *values;
};

// Neighbours exchange values through shared memory; `right` has the barrier between.
__global__ void shared_race_kernel(const float *in, float *out, bool right)
{
    __shared__ float slots[block_threads];
    const int i = blockIdx.x * block_threads + threadIdx.x;
    slots[threadIdx.x] = in[i];
    if (right)
        __syncthreads();
    out[i] = slots[(threadIdx.x + 1) % block_threads];
}

// The barrier before the next round is what is missing here.
__global__ void write_after_read_kernel(const float *in, float *out, bool right)
{
    __shared__ float slots[block_threads];
    const int i = blockIdx.x * block_threads + threadIdx.x;
    for (int round = 0; round < 2; ++round) {
        slots[threadIdx.x] = in[i] + static_cast<float>(round);
        __syncthreads();
        out[i] = slots[(threadIdx.x + 1) % block_threads];
        if (right)
            __syncthreads();
    }
}

__global__ void block_race_kernel(float *values, bool right)
{
    const int i = blockIdx.x * block_threads + threadIdx.x;
    values[i] = 1.0f;
    if (right)
        __syncthreads();
    if (threadIdx.x > 0)
        values[n + i] = values[i - 1];
}

__global__ void grid_race_kernel(float *values, bool right)
{
    const int i = blockIdx.x * block_threads + threadIdx.x;
    values[right ? i : static_cast<int>(threadIdx.x)] = static_cast<float>(i);
}

// Blocks read a halo that their neighbours write.
__global__ void halo_kernel(const float *in, float *out)
{
    const int i = blockIdx.x * block_threads + threadIdx.x;
    const float left = in[i > 0 ? i - 1 : i];
    __syncthreads();
    out[i] = left + 1.0f;
}

__global__ void counter_kernel(int *count, bool right)
{
    if (right)
        atomicAdd(count, 1);
    else
        ++*count;
}

__global__ void atomic_read_kernel(int *count, int *out, bool right)
{
    const int i = blockIdx.x * block_threads + threadIdx.x;
    atomicAdd(count + blockIdx.x, 1);
    if (right)
        __syncthreads();
    out[i] = count[blockIdx.x];
}

__global__ void equal_kernel(int *flag, int value)
{
    *flag = value + static_cast<int>(threadIdx.x) * (value == 1 ? 0 : 1);
}

__global__ void bytes_kernel(char *in, char *out, bool right)
{
    __shared__ char marks[block_threads];
    const int i = blockIdx.x * block_threads + threadIdx.x;
    marks[threadIdx.x] = in[i];
    out[i] = static_cast<char>(marks[threadIdx.x] + (right ? 0 : marks[threadIdx.x ^ 1u]));
}

__global__ void uninitialised_kernel(const float *in, float *out)
{
    const int i = blockIdx.x * block_threads + threadIdx.x;
    out[i] = in[i];
}

__global__ void uninitialised_shared_kernel(float *out, bool right)
{
    __shared__ float slots[block_threads + 1];
    slots[threadIdx.x] = 1.0f;
    __syncthreads();
    out[blockIdx.x * block_threads + threadIdx.x] = slots[threadIdx.x + (right ? 0 : 1)];
}

__global__ void outside_kernel(float *values, int offset)
{
    values[blockIdx.x * block_threads + threadIdx.x + offset] = 1.0f;
}

__global__ void holder_kernel(Holder holder)
{
    const int i = blockIdx.x * block_threads + threadIdx.x;
    if (i < holder.length)
        holder.values[i] = 1.0f;
}

__global__ void window_kernel(float *out, int at)
{
    __shared__ float first[block_threads], second[block_threads];
    first[threadIdx.x] = second[threadIdx.x] = 1.0f;
    __syncthreads();
    out[blockIdx.x * block_threads + threadIdx.x] = first[static_cast<int>(threadIdx.x) + at] + second[threadIdx.x];
}

__global__ void shift_kernel(float *out, int places)
{
    out[blockIdx.x * block_threads + threadIdx.x] = static_cast<float>(1 << places);
}

__global__ void dynamic_window_kernel(float *out, int at)
{
    ACCRS_DYNAMIC_SHARED(unsigned char, windows);
    ACCRS_WINDOW(float, first, block_threads, windows);
    ACCRS_WINDOW(float, second, block_threads, windows + block_threads * sizeof(float));
    first[threadIdx.x] = second[threadIdx.x] = 1.0f;
    __syncthreads();
    out[blockIdx.x * block_threads + threadIdx.x] = first[static_cast<int>(threadIdx.x) + at];
}

__global__ void channel_kernel(float *out, bool declared)
{
    __shared__ float window[block_threads];
    if (declared)
        ACCRS_CHANNEL(window, sizeof window);
    window[threadIdx.x] = 0.0f;
    __syncthreads();
    window[threadIdx.x / 2] = static_cast<float>(threadIdx.x);
    __syncthreads();
    out[blockIdx.x * block_threads + threadIdx.x] = window[threadIdx.x / 2];
}

// Workers of 16 lanes exchange values; only they meet.
__global__ void worker_kernel(float *out, bool right)
{
    __shared__ float slots[block_threads];
    const unsigned thread = accrs::linear_thread();
    slots[thread] = static_cast<float>(thread);
    accrs::sync_worker();
    const unsigned other = right ? thread ^ 15u : thread ^ 16u;
    out[blockIdx.x * block_threads + thread] = slots[other];
}

__global__ void warp_kernel(float *out, bool right)
{
    __shared__ float slots[block_threads];
    slots[threadIdx.x] = 1.0f;
    __syncwarp();
    out[blockIdx.x * block_threads + threadIdx.x] = slots[threadIdx.x ^ (right ? 31u : 32u)];
}

// Two barriers on one line, as the lines of generated code may be.
__global__ void barrier_kernel(bool right)
{
    // clang-format off
    if (right || threadIdx.x % 2 == 0) __syncthreads(); else __syncthreads();
    // clang-format on
}

__global__ void copies_kernel(Holder *to, const Holder *from, bool right)
{
    const int i = blockIdx.x * block_threads + threadIdx.x;
    if (right)
        to[i] = from[i];
    else
        std::memcpy(to + threadIdx.x, from + i, sizeof *to);
}

// Copies of structures read their padding, which no thread writes.
__global__ void padding_kernel(Holder *holders, Holder *to, bool right)
{
    const int i = blockIdx.x * block_threads + threadIdx.x;
    if (i >= n / 4)
        return;
    if (right) {
        holders[i].length = i;
        holders[i].values = nullptr;
    }
    to[i] = holders[i];
}

// Arrays of a thread's own are no other thread's; their bounds count all the same.
__global__ void local_kernel(int *out, int turns)
{
    int counts[8] = {};
    const int i = blockIdx.x * block_threads + threadIdx.x;
    for (int turn = 0; turn < turns; ++turn)
        ++counts[(turn + i) % turns];
    for (int k = 0; k < 8; ++k) {
        __syncthreads();
        out[i] += counts[(k + i) % 8];
    }
}

__global__ void reduce_kernel(const double *in, double *partials)
{
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    accrs::store_partial<accrs::Sum>(partials, sum);
}

// What the last block to come reads of the others, by which thread, and what is wrong with that.
enum class Fault { none, no_release, no_acquire, early, unmet, late };

__global__ void last_block_kernel(float *values, unsigned *ticket, Fault fault)
{
    __shared__ bool is_last;
    values[blockIdx.x * block_threads + threadIdx.x] = 1.0f;
    if (fault != Fault::unmet)
        __syncthreads();
    if (threadIdx.x == 0) {
        if (fault != Fault::no_release)
            __threadfence();
        if (fault == Fault::late)
            values[blockIdx.x * block_threads] = 2.0f;
        const unsigned last = gridDim.x - (fault == Fault::early ? 2 : 1);
        is_last = atomicAdd(ticket, 1u) == last;
        if (fault != Fault::no_acquire)
            __threadfence();
    }
    __syncthreads();
    if (!is_last)
        return;
    float sum = 0;
    for (unsigned block = 0; block < gridDim.x; ++block)
        sum += values[block * block_threads + threadIdx.x];
    values[gridDim.x * block_threads + threadIdx.x] = sum;
}

// A block hands on what it has of another one, by a second variable.
__global__ void chain_kernel(float *values, unsigned *turn, bool all_have_fences)
{
    if (threadIdx.x != 0)
        return;
    const unsigned number = atomicAdd(turn, 1u);
    if (number == 0) {
        values[0] = 1.0f;
        __threadfence();
        atomicExch(turn + 1, 1u);
    } else if (number == 1) {
        while (atomicAdd(turn + 1, 0u) == 0) {
        }
        if (all_have_fences)
            __threadfence();
        atomicExch(turn + 2, 1u);
    } else if (number == 2) {
        while (atomicAdd(turn + 2, 0u) == 0) {
        }
        __threadfence();
        values[1] = values[0];
    }
}

__global__ void reduce_grid_kernel(const double *in, accrs::GridResult<double> sum_result, accrs::GridResult<int> count_result)
{
    double sum = 0;
    int count = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x) {
        sum += in[i];
        ++count;
    }
    accrs::reduce_grid<block_threads>(accrs::of_threads<accrs::Sum>(sum, sum_result),
                                      accrs::of_threads<accrs::Sum>(count, count_result));
}

static float *device_array(int count, bool filled)
{
    void *memory = nullptr;
    accrs::check(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(float)), "allocating");
    if (filled)
        accrs::check(cudaMemset(memory, 0, static_cast<std::size_t>(count) * sizeof(float)), "clearing");
    return static_cast<float *>(memory);
}

static bool launch(const char *fault, bool ok)
{
    std::vector<float> host_values(n);
    float *in = device_array(n, true), *out = device_array(2 * n, true), *fresh = device_array(n, false);
    auto *count = reinterpret_cast<int *>(device_array(n, true));
    const auto is = [fault](const char *name) { return std::strcmp(fault, name) == 0; };
    if (is("shared_race"))
        shared_race_kernel<<<blocks, block_threads>>>(in, out, ok);
    else if (is("write_after_read"))
        write_after_read_kernel<<<blocks, block_threads>>>(in, out, ok);
    else if (is("block_race"))
        block_race_kernel<<<blocks, block_threads>>>(out, ok);
    else if (is("grid_race"))
        grid_race_kernel<<<blocks, block_threads>>>(out, ok);
    else if (is("halo"))
        halo_kernel<<<blocks, block_threads>>>(in, ok ? out : in);
    else if (is("counter"))
        counter_kernel<<<blocks, block_threads>>>(count, ok);
    else if (is("atomic_read"))
        atomic_read_kernel<<<blocks, block_threads>>>(count, reinterpret_cast<int *>(out), ok);
    else if (is("equal"))
        equal_kernel<<<blocks, block_threads>>>(count, ok ? 1 : 2);
    else if (is("bytes"))
        bytes_kernel<<<blocks, block_threads>>>(reinterpret_cast<char *>(in), reinterpret_cast<char *>(out), ok);
    else if (is("uninitialised"))
        uninitialised_kernel<<<blocks, block_threads>>>(ok ? in : fresh, out);
    else if (is("uninitialised_shared"))
        uninitialised_shared_kernel<<<blocks, block_threads>>>(out, ok);
    else if (is("outside"))
        outside_kernel<<<blocks, block_threads>>>(in, ok ? 0 : 1);
    else if (is("host"))
        holder_kernel<<<blocks, block_threads>>>(Holder{n, ok ? out : host_values.data()});
    else if (is("null"))
        holder_kernel<<<blocks, block_threads>>>(Holder{ok ? 0 : n, nullptr});
    else if (is("window"))
        window_kernel<<<blocks, block_threads>>>(out, ok ? 0 : -1);
    else if (is("shift"))
        shift_kernel<<<blocks, block_threads>>>(out, ok ? 31 : 32);
    else if (is("dynamic_window"))
        dynamic_window_kernel<<<blocks, block_threads, 2 * block_threads * sizeof(float)>>>(out, ok ? 0 : 1);
    else if (is("channel"))
        channel_kernel<<<blocks, block_threads>>>(out, ok);
    else if (is("worker"))
        worker_kernel<<<blocks, dim3(16, block_threads / 16)>>>(out, ok);
    else if (is("warp"))
        warp_kernel<<<blocks, block_threads>>>(out, ok);
    else if (is("barrier"))
        barrier_kernel<<<blocks, block_threads>>>(ok);
    else if (is("copies"))
        copies_kernel<<<1, block_threads / 2>>>(reinterpret_cast<Holder *>(out), reinterpret_cast<Holder *>(ok ? in : fresh), ok);
    else if (is("padding"))
        padding_kernel<<<blocks, block_threads>>>(reinterpret_cast<Holder *>(fresh), reinterpret_cast<Holder *>(out), ok);
    else if (is("local"))
        local_kernel<<<blocks, block_threads>>>(count, ok ? 8 : 10);
    else if (is("no_release"))
        last_block_kernel<<<blocks, block_threads>>>(out, reinterpret_cast<unsigned *>(count), ok ? Fault::none : Fault::no_release);
    else if (is("no_acquire"))
        last_block_kernel<<<blocks, block_threads>>>(out, reinterpret_cast<unsigned *>(count), ok ? Fault::none : Fault::no_acquire);
    else if (is("early"))
        last_block_kernel<<<blocks, block_threads>>>(out, reinterpret_cast<unsigned *>(count), ok ? Fault::none : Fault::early);
    else if (is("unmet"))
        last_block_kernel<<<blocks, block_threads>>>(out, reinterpret_cast<unsigned *>(count), ok ? Fault::none : Fault::unmet);
    else if (is("late"))
        last_block_kernel<<<blocks, block_threads>>>(out, reinterpret_cast<unsigned *>(count), ok ? Fault::none : Fault::late);
    else if (is("chain"))
        chain_kernel<<<blocks, block_threads>>>(out, reinterpret_cast<unsigned *>(count), ok);
    else if (is("reduce_grid")) {
        const accrs::GridResult<double> sum{reinterpret_cast<double *>(out), reinterpret_cast<double *>(fresh), 0, false, reinterpret_cast<unsigned *>(count)};
        const accrs::GridResult<int> number{reinterpret_cast<int *>(out) + n, reinterpret_cast<int *>(fresh) + 2, 0, false, nullptr};
        for (int round = 0; round < 2; ++round) // the counter is 0 again
            reduce_grid_kernel<<<blocks, block_threads>>>(reinterpret_cast<double *>(in), sum, number);
    } else if (is("reduce"))
        reduce_kernel<<<blocks, block_threads>>>(reinterpret_cast<double *>(out), reinterpret_cast<double *>(in));
    else
        return false;
    return true;
}

// Rows 0 to 7 of [1:6] of `a`, with [0:3][1:3] copied; the kernel reads and writes what it is told.
__global__ void section_kernel(int (*a)[6], int rows, int columns)
{
    if (blockIdx.x < static_cast<unsigned>(rows) && threadIdx.x < static_cast<unsigned>(columns))
        a[blockIdx.x][threadIdx.x] += 1;
}

// The subscripts of the whole array, from an address before the section's memory.
__global__ void whole_section_kernel(int *a, int first)
{
    a[static_cast<int>(blockIdx.x) * 6 + static_cast<int>(threadIdx.x) + first] = 1;
}

static void section(int first, int rows, int lower, int length)
{
    accrs_dimension(first, static_cast<accrs_size>(rows), 8);
    accrs_dimension(lower, static_cast<accrs_size>(length), 7);
}

static bool launch_on_section(const char *name, bool ok)
{
    static int a[8][7];
    const bool unwritten = std::strcmp(name, "section_unwritten") == 0, row = std::strcmp(name, "section_row") == 0;
    const bool outside = std::strcmp(name, "section_outside") == 0, before = std::strcmp(name, "section_before") == 0;
    if (!unwritten && !row && !outside && !before)
        return false;
    accrs_at("checks.c", 1, "global alloc");
    static int neighbour;
    accrs_section_alloc("neighbour", &neighbour, sizeof neighbour);
    section(0, 8, 1, 6), accrs_section_alloc("a", a, sizeof(int));
    section(0, 4, 1, 3), accrs_section_in("a", a, sizeof(int));
    section(0, 8, 1, 6), accrs_section_out("a", a, sizeof(int)); // what was never written as well
    accrs_begin_kernel("checks.c", 2, "kernel");
    if (unwritten || row)
        section_kernel<<<8, 6>>>(accrs::section_rows<int (*)[6]>(a, "a", {{1, 6}}), !ok && row ? 5 : 4, !ok && unwritten ? 4 : 3);
    else
        whole_section_kernel<<<8, 6>>>(accrs::section<int *>(a, "a", {6}), ok ? 1 : outside ? 2 : 0);
    accrs_end();
    return true;
}

int main(int argc, char **argv)
{
    if (argc < 2 || !(launch_on_section(argv[1], argc > 2) || launch(argv[1], argc > 2)))
        return 2;
    (void)cudaGetLastError();
    return 0;
}
