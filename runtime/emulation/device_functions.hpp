// SPDX-License-Identifier: 0BSD
//
// CUDA's functions of numbers that C++ has not, for kernels that people write. Each rounds as on a
// GPU without approximations, also those that are approximate on a GPU (__expf and the like).
#ifndef ACCRS_EMULATION_DEVICE_FUNCTIONS_HPP
#define ACCRS_EMULATION_DEVICE_FUNCTIONS_HPP

#include <cmath>
#include <cstring>
#include <ctime>

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

// Of two types, as CUDA's headers have them.
#define ACCRS_LEAST_AND_MOST(result, type, other)  \
    constexpr result min(type a, other b)          \
    {                                              \
        return min(result(a), result(b));          \
    }                                              \
    constexpr result max(type a, other b)          \
    {                                              \
        return max(result(a), result(b));          \
    }

using accrs_ulong = unsigned long;
using accrs_ulonglong = unsigned long long;
ACCRS_LEAST_AND_MOST(unsigned, int, unsigned)
ACCRS_LEAST_AND_MOST(unsigned, unsigned, int)
ACCRS_LEAST_AND_MOST(accrs_ulong, long, accrs_ulong)
ACCRS_LEAST_AND_MOST(accrs_ulong, accrs_ulong, long)
ACCRS_LEAST_AND_MOST(accrs_ulonglong, long long, accrs_ulonglong)
ACCRS_LEAST_AND_MOST(accrs_ulonglong, accrs_ulonglong, long long)
#undef ACCRS_LEAST_AND_MOST

// Of a NaN and a number, the number.
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
inline double min(float a, double b) { return std::fmin(a, b); }
inline double min(double a, float b) { return std::fmin(a, b); }
inline double max(float a, double b) { return std::fmax(a, b); }
inline double max(double a, float b) { return std::fmax(a, b); }

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
inline unsigned long long __brevll(unsigned long long word)
{
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(word))) << 32 | __brev(static_cast<unsigned>(word >> 32));
}

inline long long __double_as_longlong(double x)
{
    long long bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

inline double __longlong_as_double(long long bits)
{
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

inline float __expf(float x) { return std::exp(x); }
inline float __exp10f(float x) { return std::pow(10.0f, x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
inline float __saturatef(float x) { return x > 0.0f ? std::fmin(x, 1.0f) : 0.0f; }

inline void __sincosf(float x, float *sine, float *cosine)
{
    *sine = std::sin(x);
    *cosine = std::cos(x);
}

// Of numbers beyond the type's range the nearest that it has; of a NaN zero.
template <class To, class From> inline To accrs_rounded(From x)
{
    constexpr To most = static_cast<To>(~(static_cast<To>(1) << (8 * sizeof(To) - 1)));
    const To least = static_cast<To>(-most - 1);
    if (!(x == x))
        return 0;
    if (x >= -static_cast<From>(least))
        return most;
    return x < static_cast<From>(least) ? least : static_cast<To>(x);
}

inline int __float2int_rz(float x) { return accrs_rounded<int>(std::trunc(x)); }
inline int __float2int_rn(float x) { return accrs_rounded<int>(std::nearbyint(x)); }
inline int __float2int_rd(float x) { return accrs_rounded<int>(std::floor(x)); }
inline int __float2int_ru(float x) { return accrs_rounded<int>(std::ceil(x)); }
inline int __double2int_rz(double x) { return accrs_rounded<int>(std::trunc(x)); }
inline int __double2int_rn(double x) { return accrs_rounded<int>(std::nearbyint(x)); }
inline int __double2int_rd(double x) { return accrs_rounded<int>(std::floor(x)); }
inline int __double2int_ru(double x) { return accrs_rounded<int>(std::ceil(x)); }
inline long long __float2ll_rn(float x) { return accrs_rounded<long long>(std::nearbyint(x)); }
inline long long __double2ll_rn(double x) { return accrs_rounded<long long>(std::nearbyint(x)); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline float __double2float_rn(double x) { return static_cast<float>(x); }

inline int __mul24(int a, int b) { return static_cast<int>(static_cast<unsigned>(a << 8 >> 8) * static_cast<unsigned>(b << 8 >> 8)); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32); }
inline unsigned __sad(int a, int b, unsigned sum) { return sum + static_cast<unsigned>(a > b ? a - b : b - a); }
inline unsigned __usad(unsigned a, unsigned b, unsigned sum) { return sum + (a > b ? a - b : b - a); }

inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    __extension__ typedef unsigned __int128 twice;
    return static_cast<unsigned long long>(static_cast<twice>(a) * b >> 64);
}

// The upper word of both, moved left, or their lower word, moved right, by up to 31 bits.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned bits)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (bits & 31u) >> 32);
}

inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned bits)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (bits & 31u));
}

// Bytes of both words, each chosen by four bits of `choice`.
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned choice)
{
    const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
    unsigned result = 0;
    for (int byte = 0; byte < 4; ++byte) {
        const unsigned chosen = choice >> (4 * byte) & 15u;
        unsigned value = static_cast<unsigned>(both >> (8 * (chosen & 7u))) & 0xffu;
        if ((chosen & 8u) != 0)
            value = (value & 0x80u) != 0 ? 0xffu : 0u;
        result |= value << (8 * byte);
    }
    return result;
}

// Hints about caches, which are not imitated.
template <class T> T __ldcg(const T *address) { return *address; }
template <class T> T __ldca(const T *address) { return *address; }
template <class T> T __ldcs(const T *address) { return *address; }
template <class T> void __stcg(T *address, T value) { *address = value; }
template <class T> void __stcs(T *address, T value) { *address = value; }

// The processor's time, in nanoseconds.
inline long long clock64()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1000000000LL * now.tv_sec + now.tv_nsec;
}

inline void __nanosleep(unsigned) {}
[[noreturn]] inline void __trap() { __builtin_trap(); }
// NOLINTEND

#endif
