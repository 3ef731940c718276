// SPDX-License-Identifier: 0BSD
//
// What reports are written with.
#ifndef ACCRS_WATCH_TEXT_HPP
#define ACCRS_WATCH_TEXT_HPP

#include "../src/json.hpp"

#include <cstdint>

extern "C" __attribute__((visibility("hidden"))) char __executable_start[]; // the linker's: where the program's image begins

namespace accrs::watch {

// Places in the code are kept as bytes from the start of the image.
inline std::uint32_t site_of(const void *pc)
{
    return static_cast<std::uint32_t>(static_cast<const char *>(pc) - __executable_start);
}

using accrs::quoted;

// Where this program's file has an address of its image; 0 stays 0.
std::uint64_t in_file(std::uint64_t site);

} // namespace accrs::watch

#endif
