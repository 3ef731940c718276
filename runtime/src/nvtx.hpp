// SPDX-License-Identifier: 0BSD
#ifndef ACCRS_NVTX_HPP
#define ACCRS_NVTX_HPP

namespace accrs {

// Where a tool listens to NVTX, as Nsight Systems does, registers callbacks that make a range of each
// construct. Without NVTX's header this does nothing.
void start_nvtx();

} // namespace accrs

#endif
