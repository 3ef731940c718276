// SPDX-License-Identifier: 0BSD
//
// Launches, blocks, threads and barriers as the emulation tells of them.
#include "warps.hpp"

#include "../emulation/kernel.hpp"
#include "../emulation/watch.hpp"
#include "../watch/objects.hpp"

#include <algorithm>
#include <atomic>

extern "C" {
extern __thread char accrs_kernels_begin_shared[], accrs_kernels_end_shared[];
}

namespace accrs::counts {

Range arena;
thread_local Running running;

namespace {

constexpr unsigned most_threads = 1024;

std::atomic<std::uint64_t> launches{0};

struct Processor {
    std::vector<Event> events[most_threads];
    std::string kernel;
    unsigned threads = 0; // of a block
    Book book;
    KernelCounts *counts = nullptr; // of the running kernel
};

Processor &processor()
{
    static thread_local Processor instance;
    return instance;
}

void count_block(Processor &p)
{
    for (unsigned first = 0; first < p.threads; first += lanes)
        count_warp(p.events + first, std::min(lanes, p.threads - first), p.kernel, p.book);
}

Range range_of(const char *begin, std::size_t bytes)
{
    return {reinterpret_cast<std::uintptr_t>(begin), bytes};
}

} // namespace

} // namespace accrs::counts

namespace accrs::watch {

using namespace counts;

std::uint64_t launch_begins(const void *)
{
    return ++launches;
}

void launch_ends() {}

void processor_begins(std::uint64_t launch_time, const char *kernel, char *dynamic_shared, std::size_t dynamic_bytes, int)
{
    static std::atomic<std::uint64_t> counted{0}; // the latest launch that a processor has counted
    Processor &p = processor();
    p.kernel = kernel;
    p.threads = blockDim.x * blockDim.y * blockDim.z;
    p.counts = &p.book.kernels[kernel];
    std::uint64_t latest = counted.load();
    while (latest < launch_time && !counted.compare_exchange_weak(latest, launch_time)) {
    }
    if (latest < launch_time) {
        ++p.counts->launches;
        const unsigned long long blocks = 1ull * gridDim.x * gridDim.y * gridDim.z;
        ++p.counts->configurations[{blocks, p.threads}];
    }
    running.shared = range_of(accrs_kernels_begin_shared, static_cast<std::size_t>(accrs_kernels_end_shared - accrs_kernels_begin_shared));
    running.dynamic = range_of(dynamic_shared, dynamic_bytes);
}

void processor_ends()
{
    Processor &p = processor();
    count_block(p);
    running.events = nullptr;
    publish(p.book);
    p.book = {};
}

void block_begins(std::uint64_t)
{
    Processor &p = processor();
    count_block(p);
    ++p.counts->blocks;
    p.counts->threads += p.threads;
}

void thread_runs(unsigned linear, const char *, std::size_t)
{
    running.events = &processor().events[linear];
}

void block_meets()
{
    Processor &p = processor();
    count_block(p);
    ++p.counts->barriers;
}

void worker_meets(unsigned) {}
void warp_meets(unsigned) {}
void grid_waits() {}
void grid_meets(std::uint64_t) {}
void barrier_missed(const char *, const void *, int) {}
void channel(const void *, std::size_t) {}

void memory_reserved(char *begin, std::size_t bytes, int)
{
    arena = range_of(begin, bytes);
}

void allocated(char *begin, std::size_t bytes)
{
    remember_allocation(reinterpret_cast<std::uintptr_t>(begin), bytes);
}

void released(char *begin, std::size_t)
{
    forget_allocation(reinterpret_cast<std::uintptr_t>(begin));
}

// What the host does, and in which order, is not counted.
std::uint64_t grid_begins_anew() { return 0; }
void stream_made(const void *, bool) {}
void stream_ends(const void *) {}
void stream_waits(const void *, const void *) {}
void event_recorded(const void *, const void *) {}
void host_waits_for_stream(const void *) {}
void host_waits_for_event(const void *) {}
void host_waits_for_all() {}
void written(const void *, std::size_t) {}
void copying(void *, const void *, std::size_t, const void *) {}
void copying_value(void *, const void *, std::size_t, const void *) {}
void clearing(void *, std::size_t, const void *) {}
void freeing(void *, std::size_t, const void *) {}
void present(const void *, std::size_t, const void *, const char *) {}
void absent(const void *) {}

std::size_t gap(std::size_t)
{
    return 0;
}

} // namespace accrs::watch
