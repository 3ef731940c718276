// SPDX-License-Identifier: 0BSD
//
// CUDA's small vectors, aligned as CUDA aligns them: a kernel moves each in one access.
#ifndef ACCRS_EMULATION_VECTOR_TYPES_HPP
#define ACCRS_EMULATION_VECTOR_TYPES_HPP

#include "cuda_runtime.hpp"

// NOLINTBEGIN: CUDA's names
#define ACCRS_VECTOR1(name, type)              \
    struct name##1 {                           \
        type x;                                \
    };                                         \
    inline name##1 make_##name##1(type x)      \
    {                                          \
        return {x};                            \
    }
#define ACCRS_VECTOR2(name, type)                  \
    struct alignas(2 * sizeof(type)) name##2 {     \
        type x, y;                                 \
    };                                             \
    inline name##2 make_##name##2(type x, type y)  \
    {                                              \
        return {x, y};                             \
    }
#define ACCRS_VECTOR3(name, type)                          \
    struct name##3 {                                       \
        type x, y, z;                                      \
    };                                                     \
    inline name##3 make_##name##3(type x, type y, type z)  \
    {                                                      \
        return {x, y, z};                                  \
    }
#define ACCRS_VECTOR4(name, type)                                                    \
    struct alignas(sizeof(type) < 4 ? 4 * sizeof(type) : 16) name##4 {               \
        type x, y, z, w;                                                             \
    };                                                                               \
    inline name##4 make_##name##4(type x, type y, type z, type w)                    \
    {                                                                                \
        return {x, y, z, w};                                                         \
    }
#define ACCRS_VECTORS(name, type) \
    ACCRS_VECTOR1(name, type)     \
    ACCRS_VECTOR2(name, type)     \
    ACCRS_VECTOR3(name, type)     \
    ACCRS_VECTOR4(name, type)

ACCRS_VECTORS(char, signed char)
ACCRS_VECTORS(uchar, unsigned char)
ACCRS_VECTORS(short, short)
ACCRS_VECTORS(ushort, unsigned short)
ACCRS_VECTORS(int, int)
ACCRS_VECTOR1(uint, unsigned)
ACCRS_VECTOR2(uint, unsigned)
ACCRS_VECTOR4(uint, unsigned)
ACCRS_VECTORS(float, float)
ACCRS_VECTORS(longlong, long long)
ACCRS_VECTORS(ulonglong, unsigned long long)
ACCRS_VECTORS(double, double)

inline uint3 make_uint3(unsigned x, unsigned y, unsigned z)
{
    return {x, y, z};
}

#undef ACCRS_VECTOR1
#undef ACCRS_VECTOR2
#undef ACCRS_VECTOR3
#undef ACCRS_VECTOR4
#undef ACCRS_VECTORS
// NOLINTEND

#endif
