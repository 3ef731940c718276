// SPDX-License-Identifier: 0BSD
//
// GCC's builtins that C's headers and HPC code use, for the device: nvcc has most of them on the
// host only.
#ifndef ACCRS_BUILTINS_HPP
#define ACCRS_BUILTINS_HPP

#include "cuda.hpp"

#include <float.h>
#include <math.h>

namespace accrs {

// Bits in order from the least significant; of 0 the results are undefined, as in GCC.
__host__ __device__ constexpr int ctz(unsigned long long x)
{
    int count = 0;
    while (count < 64 && (x >> count & 1) == 0)
        count++;
    return count;
}

__host__ __device__ constexpr int popcount(unsigned long long x)
{
    int count = 0;
    for (; x != 0; x &= x - 1)
        count++;
    return count;
}

__host__ __device__ constexpr int clz(unsigned x)
{
    int count = 0;
    while (count < 32 && (x >> (31 - count) & 1) == 0)
        count++;
    return count;
}

__host__ __device__ constexpr int clzll(unsigned long long x)
{
    int count = 0;
    while (count < 64 && (x >> (63 - count) & 1) == 0)
        count++;
    return count;
}

__host__ __device__ constexpr int ffs(unsigned long long x)
{
    return x == 0 ? 0 : ctz(x) + 1;
}

__host__ __device__ constexpr int parity(unsigned long long x)
{
    return popcount(x) & 1;
}

// What `isinf` of C's <math.h> is: 1, -1 or 0.
template <class T> __host__ __device__ inline int isinf_sign(T x)
{
    return isinf(x) ? (x < 0 ? -1 : 1) : 0;
}

// Comparisons of C's <math.h> that raise no exception for NaN, as no comparison does on a GPU. nvcc
// has them on the host only.
template <class T, class U> __host__ __device__ inline int isgreater(T x, U y)
{
    return x > y;
}

template <class T, class U> __host__ __device__ inline int isgreaterequal(T x, U y)
{
    return x >= y;
}

template <class T, class U> __host__ __device__ inline int isless(T x, U y)
{
    return x < y;
}

template <class T, class U> __host__ __device__ inline int islessequal(T x, U y)
{
    return x <= y;
}

template <class T, class U> __host__ __device__ inline int islessgreater(T x, U y)
{
    return x < y || x > y;
}

template <class T, class U> __host__ __device__ inline int isunordered(T x, U y)
{
    return x != x || y != y;
}

// `isnormal` of C's <math.h>, which nvcc has on the host only.
__host__ __device__ inline int isnormal(float x)
{
    return fabsf(x) >= FLT_MIN && fabsf(x) <= FLT_MAX;
}

__host__ __device__ inline int isnormal(double x)
{
    return fabs(x) >= DBL_MIN && fabs(x) <= DBL_MAX;
}

// acc_on_device, as code on the device has it: acc_device_not_host and acc_device_nvidia.
__host__ __device__ inline int on_device(int type)
{
    return type == 4 || type == 5;
}

// `b++` and `b--` of a `_Bool`, which C++17 lacks, and of pointers to rows of variable length.
inline __host__ __device__ bool flip(bool &object)
{
    object = !object;
    return !object;
}

template <class T> __host__ __device__ inline T exchange(T &object, T value)
{
    const T old = object;
    object = value;
    return old;
}

} // namespace accrs

#endif
