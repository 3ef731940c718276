// SPDX-License-Identifier: 0BSD
//
// What a CUDA file of a user has before its first line: nvcc includes CUDA's run time
// there, and with it these headers of C and C++.
#ifndef ACCRS_EMULATION_BEFORE_ALL_HPP
#define ACCRS_EMULATION_BEFORE_ALL_HPP

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <math.h>
#include <new>

#include "../../include/accrs/cuda.hpp"
#include "../device_functions.hpp"
#include "../launches.hpp"
#include "../shifts.hpp"
#include "../vector_types.hpp"

namespace accrs::emulation {

// `extern __shared__ T name[]`: the block's dynamic shared memory as elements of a type.
template <class T> struct DynamicShared {
    operator T *() const { return static_cast<T *>(dynamic_shared()); }
};

} // namespace accrs::emulation

#endif
