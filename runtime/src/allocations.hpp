// SPDX-License-Identifier: 0BSD
//
// Device memory that the program has from acc_malloc, and what CUDA says of an address. The
// addresses of all devices are apart.
#ifndef ACCRS_ALLOCATIONS_HPP
#define ACCRS_ALLOCATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace accrs {

struct Allocation {
    std::uintptr_t start;
    std::size_t bytes; // 0 where there is none
};

class Allocations {
public:
    void add(const void *memory, std::size_t bytes);
    // How many bytes it had, as far as that is known.
    std::size_t remove(const void *memory);
    // The one that an address lies in, or right behind.
    Allocation find(std::uintptr_t address);

private:
    std::mutex mutex_;
    std::map<std::uintptr_t, std::size_t> by_start_;
};

Allocations &allocations();

bool is_device_address(const volatile void *pointer);
// Memory of the host that no CUDA function gave or knows.
bool is_plain_host_address(const volatile void *pointer);

} // namespace accrs

#endif
