// SPDX-License-Identifier: 0BSD
//
// CUDA's small vectors, aligned as CUDA aligns them: a kernel moves each in one access. The compiler
// would take them apart, member by member; under a watcher, their copies do not let it. (They
// begin as zeros there: shared arrays of a type with constructors would else be made when a thread
// first comes by.)
#ifndef ACCRS_EMULATION_VECTOR_TYPES_HPP
#define ACCRS_EMULATION_VECTOR_TYPES_HPP

#include "cuda_runtime.hpp"
#include "words.hpp"

// NOLINTBEGIN: CUDA's names
#if ACCRS_WATCHED
#define ACCRS_IN_ONE_PIECE(name)                                     \
    name(const name &other)                                          \
    {                                                                \
        accrs::emulation::copy_word<sizeof(name)>(this, &other);     \
    }                                                                \
    name &operator=(const name &other)                               \
    {                                                                \
        accrs::emulation::copy_word<sizeof(name)>(this, &other);     \
        return *this;                                                \
    }
#define ACCRS_MEMBERS2(name, type)                                   \
    ACCRS_IN_ONE_PIECE(name)                                         \
    constexpr name(type x_ = 0, type y_ = 0) : x(x_), y(y_) {}
#define ACCRS_MEMBERS4(name, type)                                   \
    ACCRS_IN_ONE_PIECE(name)                                         \
    constexpr name(type x_ = 0, type y_ = 0, type z_ = 0, type w_ = 0) : x(x_), y(y_), z(z_), w(w_) {}
#else
#define ACCRS_MEMBERS2(name, type)
#define ACCRS_MEMBERS4(name, type)
#endif

#define ACCRS_VECTOR1(name, type)                                    \
    struct name##1 {                                                 \
        type x;                                                      \
    };                                                               \
    inline name##1 make_##name##1(type x)                            \
    {                                                                \
        return {x};                                                  \
    }
#define ACCRS_VECTOR2(name, type, members)                           \
    struct alignas(2 * sizeof(type)) name##2 {                       \
        type x, y;                                                   \
        members(name##2, type)                                       \
    };                                                               \
    inline name##2 make_##name##2(type x, type y)                    \
    {                                                                \
        return {x, y};                                               \
    }
#define ACCRS_VECTOR3(name, type)                                    \
    struct name##3 {                                                 \
        type x, y, z;                                                \
    };                                                               \
    inline name##3 make_##name##3(type x, type y, type z)            \
    {                                                                \
        return {x, y, z};                                            \
    }
#define ACCRS_VECTOR4(name, type, members)                           \
    struct alignas(sizeof(type) < 4 ? 4 * sizeof(type) : 16) name##4 { \
        type x, y, z, w;                                             \
        members(name##4, type)                                       \
    };                                                               \
    inline name##4 make_##name##4(type x, type y, type z, type w)    \
    {                                                                \
        return {x, y, z, w};                                         \
    }
#define ACCRS_APART(name, type) // no single access is as large, or as small
#define ACCRS_VECTORS(name, type, members2, members4)                \
    ACCRS_VECTOR1(name, type)                                        \
    ACCRS_VECTOR2(name, type, members2)                              \
    ACCRS_VECTOR3(name, type)                                        \
    ACCRS_VECTOR4(name, type, members4)

ACCRS_VECTORS(char, signed char, ACCRS_APART, ACCRS_MEMBERS4)
ACCRS_VECTORS(uchar, unsigned char, ACCRS_APART, ACCRS_MEMBERS4)
ACCRS_VECTORS(short, short, ACCRS_MEMBERS2, ACCRS_MEMBERS4)
ACCRS_VECTORS(ushort, unsigned short, ACCRS_MEMBERS2, ACCRS_MEMBERS4)
ACCRS_VECTORS(int, int, ACCRS_MEMBERS2, ACCRS_MEMBERS4)
ACCRS_VECTOR1(uint, unsigned)
ACCRS_VECTOR2(uint, unsigned, ACCRS_MEMBERS2)
ACCRS_VECTOR4(uint, unsigned, ACCRS_MEMBERS4)
ACCRS_VECTORS(float, float, ACCRS_MEMBERS2, ACCRS_MEMBERS4)
ACCRS_VECTORS(longlong, long long, ACCRS_MEMBERS2, ACCRS_APART)
ACCRS_VECTORS(ulonglong, unsigned long long, ACCRS_MEMBERS2, ACCRS_APART)
ACCRS_VECTORS(double, double, ACCRS_MEMBERS2, ACCRS_APART)

inline uint3 make_uint3(unsigned x, unsigned y, unsigned z)
{
    return {x, y, z};
}

#undef ACCRS_VECTOR1
#undef ACCRS_VECTOR2
#undef ACCRS_VECTOR3
#undef ACCRS_VECTOR4
#undef ACCRS_VECTORS
#undef ACCRS_APART
#undef ACCRS_MEMBERS2
#undef ACCRS_MEMBERS4
#undef ACCRS_IN_ONE_PIECE
// NOLINTEND

#endif
