// SPDX-License-Identifier: 0BSD
//
// The reduction operators of OpenACC (3.3, 2.5.15) with their initial values.
#ifndef ACCRS_OPERATORS_HPP
#define ACCRS_OPERATORS_HPP

#include "constants.hpp"

#include <type_traits>

namespace accrs {

// What `a` and `b` are as operands of + and *: integers of no sign, which may go beyond their range.
template <class T> __host__ __device__ auto operand(T value)
{
    if constexpr (std::is_integral<T>::value)
        return static_cast<std::make_unsigned_t<decltype(value + value)>>(value);
    else
        return value;
}

struct Sum {
    // Of floating numbers -0.0, which changes no sum, a sum of -0.0 included.
    template <class T> static __host__ __device__ constexpr T identity() { return static_cast<T>(-T()); }
    template <class T> static __host__ __device__ T apply(T a, T b) { return static_cast<T>(operand(a) + operand(b)); }
};

struct Product {
    template <class T> static __host__ __device__ constexpr T identity() { return T{1}; }
    template <class T> static __host__ __device__ T apply(T a, T b) { return static_cast<T>(operand(a) * operand(b)); }
};

struct Min {
    template <class T> static __host__ __device__ constexpr T identity()
    {
        if constexpr (std::is_floating_point<T>::value)
            return infinity<T>();
        else if constexpr (std::is_signed<T>::value)
            return static_cast<T>(~(static_cast<T>(1) << (sizeof(T) * 8 - 1)));
        else
            return static_cast<T>(~static_cast<T>(0));
    }
    template <class T> static __host__ __device__ T apply(T a, T b) { return b < a ? b : a; }
};

struct Max {
    template <class T> static __host__ __device__ constexpr T identity()
    {
        if constexpr (std::is_floating_point<T>::value)
            return -infinity<T>();
        else if constexpr (std::is_signed<T>::value)
            return static_cast<T>(static_cast<T>(1) << (sizeof(T) * 8 - 1));
        else
            return static_cast<T>(0);
    }
    template <class T> static __host__ __device__ T apply(T a, T b) { return b > a ? b : a; }
};

// As fmin and fmax do: a NaN gives way to a number.
struct MinNumber {
    template <class T> static __host__ __device__ constexpr T identity()
    {
        if constexpr (std::is_floating_point<T>::value)
            return nan<T>();
        else
            return Min::identity<T>();
    }
    template <class T> static __host__ __device__ T apply(T a, T b) { return b < a || a != a ? b : a; }
};

struct MaxNumber {
    template <class T> static __host__ __device__ constexpr T identity()
    {
        if constexpr (std::is_floating_point<T>::value)
            return nan<T>();
        else
            return Max::identity<T>();
    }
    template <class T> static __host__ __device__ T apply(T a, T b) { return b > a || a != a ? b : a; }
};

struct BitAnd {
    template <class T> static __host__ __device__ constexpr T identity() { return static_cast<T>(~static_cast<T>(0)); }
    template <class T> static __host__ __device__ T apply(T a, T b) { return static_cast<T>(a & b); }
};

struct BitOr {
    template <class T> static __host__ __device__ constexpr T identity() { return static_cast<T>(0); }
    template <class T> static __host__ __device__ T apply(T a, T b) { return static_cast<T>(a | b); }
};

struct BitXor {
    template <class T> static __host__ __device__ constexpr T identity() { return static_cast<T>(0); }
    template <class T> static __host__ __device__ T apply(T a, T b) { return static_cast<T>(a ^ b); }
};

struct LogicalAnd {
    template <class T> static __host__ __device__ constexpr T identity() { return static_cast<T>(1); }
    template <class T> static __host__ __device__ T apply(T a, T b) { return static_cast<T>(a && b); }
};

struct LogicalOr {
    template <class T> static __host__ __device__ constexpr T identity() { return static_cast<T>(0); }
    template <class T> static __host__ __device__ T apply(T a, T b) { return static_cast<T>(a || b); }
};

} // namespace accrs

#endif
