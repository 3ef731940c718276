// SPDX-License-Identifier: 0BSD
//
// CUDA's functions of numbers that C++ has not, for kernels that people write. Each rounds as on a
// GPU without approximations.
#ifndef ACCRS_EMULATION_DEVICE_FUNCTIONS_HPP
#define ACCRS_EMULATION_DEVICE_FUNCTIONS_HPP

#include <cmath>
#include <cstring>

// NOLINTBEGIN: CUDA's names
#define ACCRS_LEAST_AND_MOST(type)           \
    constexpr type min(type a, type b)       \
    {                                        \
        return b < a ? b : a;                \
    }                                        \
    constexpr type max(type a, type b)       \
    {                                        \
        return a < b ? b : a;                \
    }

ACCRS_LEAST_AND_MOST(int)
ACCRS_LEAST_AND_MOST(unsigned)
ACCRS_LEAST_AND_MOST(long)
ACCRS_LEAST_AND_MOST(unsigned long)
ACCRS_LEAST_AND_MOST(long long)
ACCRS_LEAST_AND_MOST(unsigned long long)
#undef ACCRS_LEAST_AND_MOST

// Of a NaN and a number, the number.
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }

inline float rsqrtf(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

inline int __float_as_int(float x)
{
    int bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline unsigned __float_as_uint(float x)
{
    return static_cast<unsigned>(__float_as_int(x));
}

inline float __int_as_float(int bits)
{
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

inline float __uint_as_float(unsigned bits)
{
    return __int_as_float(static_cast<int>(bits));
}

inline unsigned __brev(unsigned word)
{
    unsigned turned = 0;
    for (int bit = 0; bit < 32; ++bit)
        turned |= (word >> bit & 1u) << (31 - bit);
    return turned;
}
// NOLINTEND

#endif
