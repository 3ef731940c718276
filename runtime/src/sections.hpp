// SPDX-License-Identifier: 0BSD
//
// What the runtime's files share about sections of arrays in memory of their own (sections.cpp).
#ifndef ACCRS_SECTIONS_HPP
#define ACCRS_SECTIONS_HPP

#include "device.hpp"

#include <string>

namespace accrs {

// "[first:last]" of each dimension, as directives have it.
std::string text_of(const std::vector<Dimension> &section);

// The device address of what is no section of accrs_section_alloc; absent data ends the program.
std::uintptr_t known_address(const volatile void *host, const char *name);

} // namespace accrs

#endif
