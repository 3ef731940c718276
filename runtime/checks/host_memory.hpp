// SPDX-License-Identifier: 0BSD
//
// What the host's memory is divided into.
#ifndef ACCRS_CHECKS_HOST_MEMORY_HPP
#define ACCRS_CHECKS_HOST_MEMORY_HPP

#include <cstddef>
#include <cstdint>

namespace accrs::checks {

// How many bytes there are from an address of the host to the end of its allocation or variable; 0:
// not known.
std::size_t bytes_from(std::uintptr_t address);

} // namespace accrs::checks

#endif
