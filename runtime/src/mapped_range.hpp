// SPDX-License-Identifier: 0BSD
//
// How much of the host's memory around an address may be read: what a launch knows of a pointer in
// unified memory that no data clause says the extent of.
#ifndef ACCRS_MAPPED_RANGE_HPP
#define ACCRS_MAPPED_RANGE_HPP

#include <cstdint>

namespace accrs {

struct MappedRange {
    std::uintptr_t start;
    std::uintptr_t end; // that of `start` where nothing is mapped
};

// The readable mappings of the process without gaps between them, of which one has the address. Costs
// a pass over /proc/self/maps.
MappedRange mapped_range(std::uintptr_t address);

} // namespace accrs

#endif
