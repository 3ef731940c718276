// SPDX-License-Identifier: 0BSD
//
// What addresses belong to.
#ifndef ACCRS_WATCH_OBJECTS_HPP
#define ACCRS_WATCH_OBJECTS_HPP

#include <cstddef>
#include <cstdint>
#include <string>

namespace accrs::watch {

struct Object {
    std::string name;       // empty: not known
    std::size_t bytes = 0;  // 0: not known
    std::ptrdiff_t offset = 0;
    bool compilers = false; // made by the compiler: whether a variable is constructed
};

// An allocation of device memory begins to be, and ends: gives its bytes, 0 if it is not known.
void remember_allocation(std::uintptr_t begin, std::size_t bytes);
std::size_t forget_allocation(std::uintptr_t begin);

Object device_object(std::uintptr_t address);
// The device allocation nearest to an address that is in none.
Object nearest_device_object(std::uintptr_t address);
// A __shared__ variable of the kernels.
Object shared_object(std::uintptr_t address);
// A variable of the host program outside of functions.
Object host_object(std::uintptr_t address);
// How many bytes of a variable of the program there are from an address of its image on; 0: none.
std::size_t bytes_of_variable_from(std::uintptr_t address);
bool is_read_only(std::uintptr_t address);

} // namespace accrs::watch

#endif
