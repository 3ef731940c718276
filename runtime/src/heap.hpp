// SPDX-License-Identifier: 0BSD
#ifndef ACCRS_SRC_HEAP_HPP
#define ACCRS_SRC_HEAP_HPP

#include <cstddef>

namespace accrs {

// How large a device's heap has to be; 0 if no kernel uses it.
std::size_t heap_bytes();

} // namespace accrs

#endif
