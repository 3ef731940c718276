// SPDX-License-Identifier: 0BSD
//
// Launches, blocks, threads and barriers as the emulation tells of them: what the current time is
// and since when accesses count as at the same time.
#include "fetch.hpp"
#include "order.hpp"
#include "queues.hpp"
#include "report.hpp"
#include "shadow.hpp"
#include "stores.hpp"

#include "../emulation/watch.hpp"
#include "../emulation/kernel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
extern char accrs_kernels_begin_data[], accrs_kernels_end_data[], accrs_kernels_begin_bss[], accrs_kernels_end_bss[];
extern __thread char accrs_kernels_begin_shared[], accrs_kernels_end_shared[];
}

namespace accrs::checks {

namespace {

// Which block a processor ran from which time on, for reports about blocks that are over.
struct History {
    static constexpr std::size_t length = 4096;
    std::atomic<std::uint64_t> time[length];
    std::atomic<std::uint64_t> block[length];
    std::atomic<std::uint64_t> next{0};
};

std::atomic<std::uint64_t> latest{1}; // no processor that has ended its part of a launch was later
std::atomic<unsigned> processors{0};
std::atomic<History *> histories[most_processors];

struct Processor {
    unsigned number;
    std::uint64_t time = 1;
    History *history;
    const char *kernel = "";
    std::vector<Operation> others; // that the launch may overlap with
    Tag workers[1024] = {};
    Tag warps[32] = {};
    Tag fences[1024] = {}; // since when a thread is past its last fence
    Region dynamic;          // all that was ever asked for

    Processor() : number(processors.fetch_add(1)), history(new History{})
    {
        if (number >= most_processors) {
            std::fprintf(stderr, "accrs: checks: more than %u threads of the host run kernels\n",
                         static_cast<unsigned>(most_processors));
            std::exit(1);
        }
        histories[number].store(history);
        Running &r = running;
        r.processor = static_cast<Tag>(number) << processor_shift;
        r.shared.begin = reinterpret_cast<std::uintptr_t>(accrs_kernels_begin_shared);
        r.shared.bytes = reinterpret_cast<std::uintptr_t>(accrs_kernels_end_shared) - r.shared.begin;
        r.shared.begin &= ~std::uintptr_t(granule - 1);
        r.shared.bytes += granule;
        if (!reserve_cells(r.shared)) {
            std::fprintf(stderr, "accrs: checks: no memory for what is known of shared memory\n");
            std::exit(1);
        }
    }
};

thread_local Processor *own_processor = nullptr;

Processor &processor()
{
    if (own_processor == nullptr)
        own_processor = new Processor; // lives as long as a report may name it
    return *own_processor;
}

const Operation *overlapped(Tag earlier)
{
    for (const Operation &other : processor().others)
        if (earlier >= other.begin && earlier < other.end)
            return &other;
    return nullptr;
}

void next_phase(Processor &p)
{
    ++p.time;
    running.phase_floor = p.time << time_shift;
    if (!running.partly_met)
        return;
    std::fill(std::begin(p.workers), std::end(p.workers), 0);
    std::fill(std::begin(p.warps), std::end(p.warps), 0);
    std::fill(std::begin(p.fences), std::end(p.fences), 0);
    running.partly_met = false;
}

// What begins later is after all that this processor has done.
void tell_time(const Processor &p)
{
    std::uint64_t known = latest.load();
    while (known < p.time && !latest.compare_exchange_weak(known, p.time)) {
    }
}

void copy_index(Place &place, const uint3 &index)
{
    place = {true, {index.x, index.y, index.z}};
}

uint3 from_linear(std::uint64_t linear, unsigned x, unsigned y)
{
    return {static_cast<unsigned>(linear % x), static_cast<unsigned>(linear / x % y),
            static_cast<unsigned>(linear / x / y)};
}

bool within(std::uintptr_t address, const char *begin, const char *end)
{
    return address >= reinterpret_cast<std::uintptr_t>(begin) && address < reinterpret_cast<std::uintptr_t>(end);
}

} // namespace

Tag worker_floor(unsigned worker)
{
    return processor().workers[worker];
}

Tag warp_floor(unsigned warp)
{
    return processor().warps[warp];
}

Tag thread_fences(unsigned thread)
{
    Processor &p = processor();
    Running &r = running;
    r.partly_met = true;
    p.fences[thread] = ++p.time << time_shift;
    r.now = p.fences[thread] | r.processor | static_cast<Tag>(thread) << thread_shift;
    return p.fences[thread];
}

unsigned worker_of(unsigned thread)
{
    return thread / blockDim.x;
}

std::uint64_t next_time()
{
    return latest.fetch_add(1) + 1;
}

bool overlaps_launch(Tag earlier)
{
    return overlapped(earlier) != nullptr;
}

void describe_other_launch(Finding &finding, Tag other, std::uint32_t other_site)
{
    const Operation *operation = overlapped(other);
    if (operation == nullptr)
        return;
    finding.text = operation->directive.queue;
    finding.other_site = other_site;
    if (other_site == 0) {
        finding.other_file = operation->directive.file == nullptr ? "" : operation->directive.file;
        finding.other_line = operation->directive.line;
    }
    if (processor_of(other) == of_copy)
        finding.other_access = "copy";
}

} // namespace accrs::checks

namespace accrs::watch {

using namespace checks;

std::uint64_t grid_begins_anew()
{
    return next_time();
}

void processor_begins(std::uint64_t launch_time, const char *kernel, char *dynamic_shared, std::size_t dynamic_bytes, int device)
{
    Processor &p = processor();
    p.time = std::max(p.time, launch_time);
    p.kernel = kernel;
    Running &r = running;
    r.launch_floor = launch_time << time_shift;
    p.others = others_of_launch(launch_time);
    r.order_floor = p.others.empty() ? r.launch_floor : p.others.front().begin;
    r.tells_stores = stores_are_asked_for();
    if (r.tells_stores)
        stores_begin(launch_time, kernel);
    r.device = device;
    r.device_bytes = device_bytes;
    r.device_begin = arena.begin + static_cast<std::size_t>(device) * device_bytes;
    const auto begin = reinterpret_cast<std::uintptr_t>(dynamic_shared);
    if (p.dynamic.begin != begin || p.dynamic.bytes < dynamic_bytes) {
        p.dynamic = {begin, dynamic_bytes, nullptr, nullptr};
        if (dynamic_bytes != 0 && !reserve_cells(p.dynamic)) {
            std::fprintf(stderr, "accrs: checks: no memory for what is known of shared memory\n");
            std::exit(1);
        }
    }
    const unsigned width = blockDim.x;
    r.worker_shift = (width & (width - 1)) == 0 ? static_cast<unsigned>(__builtin_ctz(width)) : 32;
    r.dynamic = p.dynamic;
    r.dynamic.bytes = dynamic_bytes;
}

void processor_ends()
{
    settle();
    forget_channels();
    Processor &p = processor();
    if (running.tells_stores)
        stores_end();
    running.now = 0;
    p.kernel = "";
    tell_time(p);
}

void block_begins(std::uint64_t block)
{
    settle();
    forget_channels();
    forget_copies();
    Processor &p = processor();
    next_phase(p);
    running.block_floor = running.phase_floor;
    const std::uint64_t entry = p.history->next.load(std::memory_order_relaxed);
    p.history->time[entry % History::length].store(p.time, std::memory_order_relaxed);
    p.history->block[entry % History::length].store(block, std::memory_order_relaxed);
    p.history->next.store(entry + 1, std::memory_order_release);
}

void thread_runs(unsigned linear, const char *stack, std::size_t stack_bytes)
{
    settle();
    Running &r = running;
    if (__builtin_expect(r.tells_stores, 0))
        settle_store();
    Tag time = r.phase_floor;
    if (__builtin_expect(r.partly_met, 0)) {
        const Processor &p = processor();
        time = std::max({time, p.workers[linear / blockDim.x], p.warps[linear / 32], p.fences[linear]});
    }
    r.now = time | r.processor | static_cast<Tag>(linear) << thread_shift;
    r.stack = reinterpret_cast<std::uintptr_t>(stack);
    r.stack_bytes = stack_bytes;
}

void block_meets()
{
    settle();
    next_phase(processor());
}

void worker_meets(unsigned worker)
{
    settle();
    Processor &p = processor();
    running.partly_met = true;
    p.workers[worker] = ++p.time << time_shift;
}

void warp_meets(unsigned warp)
{
    settle();
    Processor &p = processor();
    running.partly_met = true;
    p.warps[warp] = ++p.time << time_shift;
}

void grid_waits()
{
    settle();
    tell_time(processor());
}

void grid_meets(std::uint64_t time)
{
    Processor &p = processor();
    p.time = std::max(p.time, time);
    Running &r = running;
    if (r.order_floor == r.launch_floor)
        r.order_floor = time << time_shift;
    r.launch_floor = time << time_shift;
    next_phase(p);
}

} // namespace accrs::watch

namespace accrs::checks {

// Variables of the kernel file, and whatever cannot be written to.
bool is_kernels_own(std::uintptr_t address, Access access)
{
    // clang does not take thread-local constants for constants.
    for (const void *index : {static_cast<const void *>(&threadIdx), static_cast<const void *>(&blockIdx),
                              static_cast<const void *>(&blockDim), static_cast<const void *>(&gridDim)})
        if (address - reinterpret_cast<std::uintptr_t>(index) < sizeof(uint3))
            return true;
    if (within(address, accrs_kernels_begin_data, accrs_kernels_end_data) ||
        within(address, accrs_kernels_begin_bss, accrs_kernels_end_bss))
        return true;
    return access == Access::read && watch::is_read_only(address);
}

Finding finding_here(const char *kind, const void *pc)
{
    Finding finding;
    finding.kind = kind;
    finding.site = site_of(pc);
    copy_index(finding.block, blockIdx);
    copy_index(finding.thread, from_linear(thread_of(running.now), blockDim.x, blockDim.y));
    return finding;
}

void describe_other(Finding &finding, Tag other, std::uint32_t other_site)
{
    finding.other_site = other_site;
    const bool same_thread = (other & many) != 0 && thread_of(other) == thread_of(running.now);
    const unsigned number = processor_of(other);
    const History *history = histories[number].load();
    if (history == nullptr)
        return;
    const std::uint64_t end = history->next.load(std::memory_order_acquire);
    for (std::uint64_t i = end; i > 0 && end - i < History::length; --i) {
        const std::size_t entry = (i - 1) % History::length;
        if (history->time[entry].load(std::memory_order_relaxed) > time_of(other))
            continue;
        const std::uint64_t block = history->block[entry].load(std::memory_order_relaxed);
        copy_index(finding.other_block, from_linear(block, gridDim.x, gridDim.y));
        const bool here = number == processor_of(running.now) && other >= running.block_floor;
        if (!(here && same_thread) && !(here && (other & foreign) != 0))
            copy_index(finding.other_thread, from_linear(thread_of(other), blockDim.x, blockDim.y));
        if (here && (other & foreign) != 0)
            finding.other_block.known = false;
        return;
    }
}

const char *running_kernel()
{
    return own_processor == nullptr ? "" : own_processor->kernel;
}

const char *word(Access access)
{
    switch (access) {
    case Access::read:
        return "read";
    case Access::write:
        return "write";
    case Access::atomic:
    case Access::atomic_read:
    case Access::atomic_write:
        break;
    }
    return "atomic";
}

} // namespace accrs::checks
