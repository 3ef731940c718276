// SPDX-License-Identifier: 0BSD
//
// Trip counts of C's counted loops, for kernels that number iterations and for launchers that
// size grids. The comparison is C's own: bounds of different types are converted as `lower < bound`
// would convert them.
#ifndef ACCRS_TRIPS_HPP
#define ACCRS_TRIPS_HPP

#include "cuda.hpp"

#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace accrs {

// How far it is from one value to another that is not below it, compared in their common type.
template <class From, class To>
__host__ __device__ constexpr unsigned long long distance(From from, To to)
{
    using Common = decltype(from + to);
    return static_cast<unsigned long long>(static_cast<Common>(to)) -
           static_cast<unsigned long long>(static_cast<Common>(from));
}

template <class From, class To> __host__ __device__ constexpr bool below(From from, To to)
{
    using Common = decltype(from + to);
    return static_cast<Common>(from) < static_cast<Common>(to);
}

// Steps that fit below a distance, the first at 0. A loop of step 0 does not count: none.
inline __host__ __device__ constexpr long long rounds(unsigned long long length, unsigned long long step)
{
    return step == 0 ? 0 : static_cast<long long>(length / step + (length % step != 0));
}

// for (i = lower; i < bound; i += step)
template <class L, class B, class S>
__host__ __device__ constexpr long long trips_up(L lower, B bound, S step)
{
    const auto width = static_cast<unsigned long long>(step);
    return below(lower, bound) ? rounds(distance(lower, bound), width) : 0;
}

// for (i = lower; i <= bound; i += step)
template <class L, class B, class S>
__host__ __device__ constexpr long long trips_through(L lower, B bound, S step)
{
    const auto width = static_cast<unsigned long long>(step);
    return below(bound, lower) || width == 0 ? 0 : static_cast<long long>(distance(lower, bound) / width) + 1;
}

// for (i = lower; i > bound; i -= step)
template <class L, class B, class S>
__host__ __device__ constexpr long long trips_down(L lower, B bound, S step)
{
    const auto width = static_cast<unsigned long long>(step);
    return below(bound, lower) ? rounds(distance(bound, lower), width) : 0;
}

// for (i = lower; i >= bound; i -= step)
template <class L, class B, class S>
__host__ __device__ constexpr long long trips_down_through(L lower, B bound, S step)
{
    const auto width = static_cast<unsigned long long>(step);
    return below(lower, bound) || width == 0 ? 0 : static_cast<long long>(distance(bound, lower) / width) + 1;
}

// for (i = lower; i != bound; i++), T the type of i, whose values may wrap on the way
template <class T, class L, class B> __host__ __device__ constexpr long long trips_to(L lower, B bound)
{
    using Wrapping = std::make_unsigned_t<T>;
    return static_cast<long long>(static_cast<Wrapping>(static_cast<Wrapping>(bound) - static_cast<Wrapping>(lower)));
}

// The bound of a loop that threads step through in an int, and that no launch knows: it ends the program where a
// step of the grid beyond it could wrap.
inline __device__ int int_end(long long bound)
{
    constexpr long long most = 0x7fffffff;
    const long long x = static_cast<long long>(gridDim.x) * blockDim.x;
    const long long y = static_cast<long long>(gridDim.y) * blockDim.y;
    const long long z = static_cast<long long>(gridDim.z) * blockDim.z;
    const long long step = x > y ? (x > z ? x : z) : (y > z ? y : z);
    if (bound > most - step) {
        printf("accrs: a loop up to %lld is too long for its 32-bit variable: make that a 64-bit integer\n", bound);
#if ACCRS_EMULATED
        std::abort();
#else
        __trap();
#endif
    }
    return static_cast<int>(bound < -most ? -most : bound);
}

// The number of a block along y in a grid of wide_covering_grid, where blocks beyond CUDA's most along y lie
// along z.
inline __device__ unsigned block_y()
{
    return blockIdx.z * gridDim.y + blockIdx.y;
}

// row * extent + column, of slots of a window also where no array has such a place and the index type
// does not reach: it wraps.
template <class Row, class Index, class Column>
__host__ __device__ constexpr Index place(Row row, Index extent, Column column)
{
    using Wrapping = std::make_unsigned_t<Index>;
    return static_cast<Index>(static_cast<Wrapping>(row) * static_cast<Wrapping>(extent) + static_cast<Wrapping>(column));
}

// The longest of several loops that share an axis of the grid.
constexpr long long longest(long long only)
{
    return only;
}

template <class... Rest> constexpr long long longest(long long first, Rest... rest)
{
    const long long other = longest(static_cast<long long>(rest)...);
    return first > other ? first : other;
}

// What a loop that strides in 64 bits asks of a grid whose step ints have to reach, too.
constexpr long long striding(long long extent)
{
    return extent < 1ll << 30 ? extent : 1ll << 30;
}

// Blocks of a launch whose trip count only the device knows: enough to fill any device.
constexpr long long default_gangs = 1024;

} // namespace accrs

#endif
