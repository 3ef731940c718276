// SPDX-License-Identifier: 0BSD
//
// INFINITY and NAN of any floating type.
#ifndef ACCRS_CONSTANTS_HPP
#define ACCRS_CONSTANTS_HPP

#include "cuda.hpp"

#include <limits>

namespace accrs {

// Evaluated by the compiler: std::numeric_limits itself is host code.
template <class T> struct Constants {
    static constexpr T infinity = std::numeric_limits<T>::infinity();
    static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
};

template <class T> __host__ __device__ constexpr T infinity()
{
    return Constants<T>::infinity;
}

template <class T> __host__ __device__ constexpr T nan()
{
    return Constants<T>::nan;
}

} // namespace accrs

#endif
