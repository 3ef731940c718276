// SPDX-License-Identifier: 0BSD
//
// Decides which CUDA this is: nvcc brings the real one, any other compiler gets the emulation.
#ifndef ACCRS_CUDA_HPP
#define ACCRS_CUDA_HPP

#if defined(__NVCC__) || defined(__CUDACC__)

#include <cuda_runtime.h>

#define ACCRS_EMULATED 0

// Dynamic shared memory under a name and type of its own; every kernel's is the same bytes.
#define ACCRS_DYNAMIC_SHARED(type, name)                                       \
    extern __shared__ __align__(16) unsigned char accrs_dynamic_shared[];      \
    type *name = reinterpret_cast<type *>(accrs_dynamic_shared)

#else

#define ACCRS_EMULATED 1

#include "../../emulation/cuda_runtime.hpp"
#include "../../emulation/kernel.hpp"

#define ACCRS_DYNAMIC_SHARED(type, name)                                       \
    type *name = static_cast<type *>(accrs::emulation::dynamic_shared())

#endif

#endif
