// SPDX-License-Identifier: 0BSD
//
// Cells of the host's memory, where kernels use that (unified memory). They tell of accesses by kernels
// alone: what the host does in between is not recorded, and all memory counts as initialised.
#ifndef ACCRS_CHECKS_HOST_CELLS_HPP
#define ACCRS_CHECKS_HOST_CELLS_HPP

#include "shadow.hpp"

namespace accrs::checks {

// Judges an access of a kernel to the host's memory, but for fetches of windows.
void judge_host_cells(const Attempt &attempt);

} // namespace accrs::checks

#endif
