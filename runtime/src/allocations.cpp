// SPDX-License-Identifier: 0BSD
#include "allocations.hpp"

#include "../include/accrs/cuda.hpp"

#include <iterator>

namespace accrs {

namespace {

using Lock = std::lock_guard<std::mutex>;

} // namespace

void Allocations::add(const void *memory, std::size_t bytes)
{
    const Lock lock(mutex_);
    by_start_[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
}

std::size_t Allocations::remove(const void *memory)
{
    const Lock lock(mutex_);
    const auto found = by_start_.find(reinterpret_cast<std::uintptr_t>(memory));
    if (found == by_start_.end())
        return 0;
    const std::size_t bytes = found->second;
    by_start_.erase(found);
    return bytes;
}

Allocation Allocations::find(std::uintptr_t address)
{
    const Lock lock(mutex_);
    const auto after = by_start_.upper_bound(address);
    if (after == by_start_.begin())
        return {0, 0};
    const auto &[start, bytes] = *std::prev(after);
    return address - start <= bytes ? Allocation{start, bytes} : Allocation{0, 0};
}

Allocations &allocations()
{
    static Allocations all;
    return all;
}

bool is_plain_host_address(const volatile void *pointer)
{
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, const_cast<const void *>(pointer)) != cudaSuccess) {
        (void)cudaGetLastError();
        return false; // not known
    }
    return attributes.type == cudaMemoryTypeUnregistered;
}

bool is_device_address(const volatile void *pointer)
{
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, const_cast<const void *>(pointer)) != cudaSuccess) {
        (void)cudaGetLastError(); // an address that CUDA does not know is an answer, not a fault
        return false;
    }
    return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

} // namespace accrs
