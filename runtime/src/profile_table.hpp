// SPDX-License-Identifier: 0BSD
#ifndef ACCRS_PROFILE_TABLE_HPP
#define ACCRS_PROFILE_TABLE_HPP

#include "profiler.hpp"

#include <cstdio>

namespace accrs {

// The table of regions, those first that took most of the devices' time.
void print_table(const Regions &regions, std::FILE *to);

} // namespace accrs

#endif
