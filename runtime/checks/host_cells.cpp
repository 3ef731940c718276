// SPDX-License-Identifier: 0BSD
//
// The cells of 16 MiB of addresses are reserved as a kernel first uses one of them. A cell that is still
// zero is of memory that no kernel has accessed.
#include "host_cells.hpp"

#include "fetch.hpp"

#include "../emulation/watch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>

namespace accrs::checks {

namespace {

constexpr unsigned chunk_shift = 24, address_bits = 48;
constexpr std::size_t chunks = std::size_t(1) << (address_bits - chunk_shift);

using Chunk = std::atomic<Region *>;

[[noreturn]] void fail_to_reserve()
{
    std::fprintf(stderr, "accrs: checks: cannot reserve addresses for what is known of the host's memory\n");
    std::exit(1);
}

Chunk *reserve_chunks()
{
    void *const memory = mmap(nullptr, chunks * sizeof(Chunk), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        fail_to_reserve();
    return static_cast<Chunk *>(memory); // zeros are null pointers
}

const Region &region_of(std::uintptr_t address)
{
    static Chunk *const all = reserve_chunks();
    const std::uintptr_t number = address >> chunk_shift;
    if (number >= chunks)
        fail_to_reserve();
    Region *known = all[number].load(std::memory_order_acquire);
    if (known != nullptr)
        return *known;
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    known = all[number].load(std::memory_order_relaxed);
    if (known == nullptr) {
        known = new Region{number << chunk_shift, std::size_t(1) << chunk_shift, nullptr, nullptr};
        if (!reserve_cells(*known))
            fail_to_reserve();
        all[number].store(known, std::memory_order_release);
    }
    return *known;
}

} // namespace

void judge_host_cells(const Attempt &attempt)
{
    if (running.fetching) // slots that no iteration asks for, too
        return fetch_of_host();
    Attempt part = attempt;
    for (std::size_t done = 0; done < attempt.bytes; done += part.bytes) {
        part.begin = attempt.begin + done;
        const Region &region = region_of(part.begin);
        part.bytes = std::min(attempt.bytes - done, region.bytes - (part.begin - region.begin));
        judge_all(part, region);
    }
}

} // namespace accrs::checks
