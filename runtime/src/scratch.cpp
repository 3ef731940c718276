// SPDX-License-Identifier: 0BSD
//
// Private arrays in device memory (include/accrs/scratch_memory.hpp), and what reductions need beside
// their partial results (include/accrs/partials.hpp).
#include "../include/accrs/scratch_memory.hpp"

#include "device.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace accrs {

namespace {

// Copies begin at multiples of this, as any type may.
constexpr std::size_t alignment = 16;

std::size_t padded(long bytes)
{
    const std::size_t wanted = bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
    return std::max(alignment, (wanted + alignment - 1) / alignment * alignment);
}

std::size_t count(dim3 grid, dim3 block, ScratchOwner owner)
{
    const std::size_t blocks = static_cast<std::size_t>(grid.x) * grid.y * grid.z;
    switch (owner) {
    case ScratchOwner::grid:
        return 1;
    case ScratchOwner::gang:
        return blocks;
    case ScratchOwner::worker:
        return blocks * block.y;
    case ScratchOwner::thread:
        break;
    }
    return blocks * block.x * block.y * block.z;
}

// How many blocks of so many threads a device runs at a time, at least one.
std::size_t busy_blocks(unsigned threads)
{
    int device = 0;
    int processors = 0;
    int at_once = 0;
    check(cudaGetDevice(&device), "asking for the device");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "asking for a device's size");
    check(cudaDeviceGetAttribute(&at_once, cudaDevAttrMaxThreadsPerMultiProcessor, device), "asking for a device's size");
    const std::size_t per_processor = std::max(1u, static_cast<unsigned>(at_once) / std::max(1u, threads));
    return std::max<std::size_t>(1, static_cast<std::size_t>(processors) * per_processor);
}

// The same grid with at most so many blocks.
dim3 cut(dim3 grid, std::size_t most)
{
    const auto within = [](unsigned wanted, std::size_t limit) {
        return static_cast<unsigned>(std::min<std::size_t>(wanted, std::max<std::size_t>(1, limit)));
    };
    grid.x = within(grid.x, most);
    grid.y = within(grid.y, most / grid.x);
    grid.z = within(grid.z, most / (static_cast<std::size_t>(grid.x) * grid.y));
    return grid;
}

} // namespace

dim3 scratch_grid(dim3 grid, dim3 block, std::size_t of_thread, std::size_t of_worker, std::size_t of_gang)
{
    const unsigned threads = block.x * block.y * block.z;
    const std::size_t bytes = std::max<std::size_t>(1, of_thread * threads + of_worker * block.y + of_gang);
    std::size_t free_bytes = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free_bytes, &total), "asking for the device's memory");
    const std::size_t room = std::max<std::size_t>(1, free_bytes / 2 / bytes);
    return cut(grid, std::min(room, busy_blocks(threads)));
}

// As many as run at a time, and up to four times as many, since blocks do not take equally long, if threads
// have iterations enough to pay for the end of their block.
dim3 reduction_grid(dim3 grid, dim3 block)
{
    constexpr std::size_t enough = 16;
    const std::size_t busy = busy_blocks(block.x * block.y * block.z);
    const std::size_t blocks = static_cast<std::size_t>(grid.x) * grid.y * grid.z;
    return cut(grid, busy * std::clamp<std::size_t>(blocks / (enough * busy), 1, 4));
}

std::size_t counted_blocks(dim3 grid)
{
    const std::size_t blocks = static_cast<std::size_t>(grid.x) * grid.y * grid.z;
    if (blocks > std::numeric_limits<unsigned>::max())
        fail("ask for fewer gangs", "a reduction over %zu blocks is too long", blocks);
    return blocks;
}

unsigned *ticket()
{
    static thread_local std::map<std::pair<int, cudaStream_t>, unsigned *> tickets; // they live as long as the program
    int device = 0;
    check(cudaGetDevice(&device), "asking for the device");
    cudaStream_t stream = copying_stream();
    unsigned *&own = tickets[{device, stream}];
    if (own == nullptr) {
        own = static_cast<unsigned *>(allocate_scratch(sizeof *own));
        check(cudaMemsetAsync(own, 0, sizeof *own, stream), "clearing a counter");
    }
    return own;
}

ScratchMemory::ScratchMemory(dim3 grid, dim3 block, ScratchOwner owner, long bytes, long offset, const void *source)
    : pitch_(padded(bytes)), offset_(offset), bytes_(bytes), memory_(pitch_ * count(grid, block, owner))
{
    if (source == nullptr || bytes <= 0)
        return;
    const std::size_t copies = count(grid, block, owner);
    char *memory = memory_.data();
    copy_incoming(memory, static_cast<const char *>(source) + offset, static_cast<std::size_t>(bytes));
    // Each round doubles the copies that are there.
    for (std::size_t done = 1; done < copies; done *= 2)
        copy_scratch(memory + done * pitch_, memory, std::min(done, copies - done) * pitch_);
}

} // namespace accrs
