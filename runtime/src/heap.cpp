// SPDX-License-Identifier: 0BSD
//
// The heap that arrays of variable length in device functions are in (include/accrs/own_array.hpp).
#include "heap.hpp"

#include "../include/accrs/heap.hpp"

#include <atomic>
#include <cstdlib>

namespace accrs {

namespace {

std::atomic<bool> in_use{false};

// CUDA's own 8 MB hold some hundred bytes for each thread of a large GPU.
constexpr std::size_t usual_megabytes = 256;

} // namespace

Heap::Heap() noexcept
{
    in_use = true;
}

std::size_t heap_bytes()
{
    if (!in_use)
        return 0;
    const char *text = std::getenv("ACCRS_DEVICE_HEAP");
    const std::size_t megabytes = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
    return (megabytes == 0 ? usual_megabytes : megabytes) << 20;
}

} // namespace accrs
