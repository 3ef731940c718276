// SPDX-License-Identifier: 0BSD
//
// The size of a block where the program leaves it open (include/accrs/launch.hpp).
#include "../include/accrs/launch.hpp"

#include "block_choice.hpp"
#include "device.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <tuple>

namespace accrs {

namespace {

// ACCRS_BLOCK: at most so many threads, whatever the device.
long long asked_threads()
{
    static const long long asked = [] {
        const char *text = std::getenv("ACCRS_BLOCK");
        if (text == nullptr || *text == '\0')
            return 0ll;
        char *end = nullptr;
        const long long value = std::strtoll(text, &end, 10);
        if (*end != '\0' || value < 1 || value > 1024)
            fail("give it a number of threads, 1 to 1024", "ACCRS_BLOCK is '%s'", text);
        return value;
    }();
    return asked;
}

#if !ACCRS_EMULATED
long long processors(int device)
{
    int count = 0;
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "asking for a device's size");
    return count;
}

// What a device says of a kernel does not change: it is asked once.
const Blocks &blocks_of(const void *kernel, dim3 largest)
{
    static std::mutex mutex;
    static std::map<std::tuple<int, const void *, unsigned, unsigned>, Blocks> known;
    int device = 0;
    check(cudaGetDevice(&device), "asking for the device");
    const std::lock_guard<std::mutex> lock(mutex);
    Blocks &blocks = known[{device, kernel, largest.x, largest.y}];
    if (blocks.sizes.empty()) {
        blocks.processors = processors(device);
        for (const dim3 block : smaller_blocks(largest)) {
            int at_once = 0;
            const auto threads = static_cast<int>(threads_of(block));
            check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, threads, 0), "asking for a kernel's occupancy");
            blocks.sizes.push_back({block, at_once});
        }
    }
    return blocks;
}
#endif

} // namespace

dim3 best_block(const void *kernel, dim3 largest, long long nx, long long ny, long long nz)
{
    if (const long long asked = asked_threads(); asked != 0) {
        dim3 block = largest;
        while (threads_of(block) > asked)
            block = half(block);
        return block;
    }
#if ACCRS_EMULATED
    // The emulation has no multiprocessors to fill.
    static_cast<void>(kernel), static_cast<void>(nx), static_cast<void>(ny), static_cast<void>(nz);
    return largest;
#else
    return choose_block(blocks_of(kernel, shaped(largest, nx, ny)), nx, ny, nz);
#endif
}

} // namespace accrs
