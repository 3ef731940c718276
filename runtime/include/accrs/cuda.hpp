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

#if ACCRS_CHECKED

#include "../../checks/window.hpp"

#define ACCRS_WINDOW(type, name, elements, address)                            \
    const accrs::checks::Window<type> name(reinterpret_cast<type *>(address), elements, #name)
#define ACCRS_CHANNEL(name, bytes) accrs::watch::channel(name, bytes)
#define ACCRS_FETCH() const accrs::watch::Fetch accrs_fetch
#define ACCRS_SEES_INDICES true

#else

// A window within dynamic shared memory: declares `type *name` at an address, for that many
// elements. `accrs check --dynamic` holds every index to them. Static shared arrays need no mark.
#define ACCRS_WINDOW(type, name, elements, address) type *name = reinterpret_cast<type *>(address)
// Several threads may write one slot of this shared array between two barriers: one of the values
// stays. `accrs check --dynamic` notes it instead of failing.
#define ACCRS_CHANNEL(name, bytes) static_cast<void>(0)
// What the rest of the block copies to a window is a fetch: elements that no iteration asks for
// may be among it, and `accrs check --dynamic` takes only those for read that a thread reads.
#define ACCRS_FETCH() static_cast<void>(0)
// Whether indices are looked at, which have to be as wide as an address then.
#define ACCRS_SEES_INDICES false

#endif

#endif
