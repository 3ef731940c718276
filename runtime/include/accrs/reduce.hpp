// SPDX-License-Identifier: 0BSD
//
// Reductions and barriers within a block. The order of combination is fixed by the block's shape:
// floating-point results have the same bits in every run.
#ifndef ACCRS_REDUCE_HPP
#define ACCRS_REDUCE_HPP

#include "atomic.hpp"
#include "cuda.hpp"
#include "operators.hpp"

#include <cstring>
#include <type_traits>

// Barriers carry the line of the call in generated code, for the emulation's reports.
#if ACCRS_EMULATED
#define ACCRS_LINE_PARAMETER int line = __builtin_LINE()
#define ACCRS_COMMA_LINE_PARAMETER , int line = __builtin_LINE()
#define ACCRS_LINE line
#define ACCRS_COMMA_LINE , line
#else
#define ACCRS_LINE_PARAMETER
#define ACCRS_COMMA_LINE_PARAMETER
#define ACCRS_LINE
#define ACCRS_COMMA_LINE
#endif

namespace accrs {

inline __device__ unsigned linear_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

inline __device__ unsigned block_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

// Which row of the block, that is which worker, this thread belongs to.
inline __device__ unsigned worker()
{
    return threadIdx.y + blockDim.y * threadIdx.z;
}

// A bit for each of the first so many lanes of a warp.
inline __device__ unsigned lane_bits(unsigned lanes)
{
    return lanes < 32 ? (1u << lanes) - 1 : 0xffffffffu;
}

// The value of the lane `lanes` further on in a row of `width` lanes, one's own where there is none; for any
// type: CUDA shuffles words only.
template <unsigned width = 32, class T>
__device__ T shuffle_down(unsigned mask, T value, unsigned lanes ACCRS_COMMA_LINE_PARAMETER)
{
    constexpr int words = (sizeof(T) + 7) / 8;
    unsigned long long word[words] = {};
    memcpy(word, &value, sizeof value);
    for (int i = 0; i < words; ++i)
        if constexpr (sizeof(T) <= 4)
            word[i] = __shfl_down_sync(mask, static_cast<unsigned>(word[i]), lanes, width ACCRS_COMMA_LINE);
        else
            word[i] = __shfl_down_sync(mask, word[i], lanes, width ACCRS_COMMA_LINE);
    memcpy(&value, word, sizeof value);
    return value;
}

// Over `lanes` neighbours within a warp, the first of which is `first`; the result is the first's.
template <class Op, class T>
__device__ T reduce_lanes(T value, unsigned first, unsigned lanes ACCRS_COMMA_LINE_PARAMETER)
{
    const unsigned mask = lane_bits(lanes) << first;
    const unsigned place = linear_thread() % 32 - first;
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        const T other = shuffle_down(mask, value, distance ACCRS_COMMA_LINE);
        if (place + distance < lanes)
            value = Op::template apply<T>(value, other);
    }
    return value;
}

// The same over a row of which all lanes are there, a power of two of them: no lane asks for its place.
template <class Op, unsigned lanes, class T>
__device__ T reduce_row(unsigned mask, T value ACCRS_COMMA_LINE_PARAMETER)
{
    for (unsigned distance = lanes / 2; distance > 0; distance /= 2)
        value = Op::template apply<T>(value, shuffle_down<lanes>(mask, value, distance ACCRS_COMMA_LINE));
    return value;
}

#if !ACCRS_EMULATED
// The warps of one worker of `workers` meet at its named barrier, 1 for the first worker. A block claims all
// barriers up to the highest that its code names: with the number in a register, all 16, and a
// multiprocessor of sm_90 or later has them for a quarter of its warps.
template <unsigned workers, unsigned id = 1> __device__ void sync_warps()
{
    if constexpr (workers == 0) {
        asm volatile("bar.sync %0, %1;" : : "r"(worker() + 1), "r"(blockDim.x) : "memory");
    } else {
        if constexpr (id < workers)
            if (worker() != id - 1)
                return sync_warps<workers, id + 1>();
        asm volatile("bar.sync %0, %1;" : : "n"(id), "r"(blockDim.x) : "memory");
    }
}
#endif

// The threads of one worker wait for each other. A row is a part of a warp, a warp, or several
// warps (worker_block makes such rows); several warps meet at the named barrier of their worker.
// `lanes` and `workers` are the block's where they are known when it is compiled, otherwise 0.
template <unsigned lanes = 0, unsigned workers = 0> __device__ void sync_worker(ACCRS_LINE_PARAMETER)
{
#if ACCRS_EMULATED
    emulation::worker_barrier(line);
#else
    const unsigned row = lanes != 0 ? lanes : blockDim.x;
    if (row < 32)
        __syncwarp(lane_bits(row) << (linear_thread() % 32 - threadIdx.x));
    else if (row == 32)
        __syncwarp();
    else if constexpr (lanes == 0 || lanes > 32)
        sync_warps<workers>();
#endif
}

// The shape of a block where it is known when the kernel is compiled, otherwise 0.
template <unsigned x = 0, unsigned y = 1, unsigned z = 1> struct Block {
    static constexpr bool has_full_warps = x != 0 && x * y * z % 32 == 0;
    // Of 32, which every block can have, where it is not known how many there are.
    static constexpr unsigned most_warps = x != 0 ? (x * y * z + 31) / 32 : 32;

    static __device__ unsigned thread()
    {
        if constexpr (x == 0)
            return linear_thread();
        else if constexpr (y == 1 && z == 1)
            return threadIdx.x;
        else if constexpr (z == 1)
            return threadIdx.x + x * threadIdx.y;
        else
            return threadIdx.x + x * (threadIdx.y + y * threadIdx.z);
    }
    static __device__ unsigned threads() { return x != 0 ? x * y * z : block_threads(); }
    static __device__ unsigned warps() { return x != 0 ? most_warps : (block_threads() + 31) / 32; }
};

// A value for each warp of the block in shared memory, of its own for each `number`.
template <class Shape, class T, unsigned number = 0> __device__ T *of_warps()
{
    __shared__ T values[Shape::most_warps];
    return values;
}

// Over the threads of a warp; the result is the first's.
template <class Op, class Shape, class T> __device__ T reduce_warp(T value ACCRS_COMMA_LINE_PARAMETER)
{
    if constexpr (!Shape::has_full_warps) {
        const unsigned left = Shape::threads() - Shape::thread() / 32 * 32;
        if (left < 32)
            return reduce_lanes<Op>(value, 0, left ACCRS_COMMA_LINE);
    }
    return reduce_row<Op, 32>(0xffffffffu, value ACCRS_COMMA_LINE);
}

// A reduction over the threads of a block is a first step, a barrier,
template <class Op, class Shape, unsigned number = 0, class T>
__device__ void store_warp(T value ACCRS_COMMA_LINE_PARAMETER)
{
    value = reduce_warp<Op, Shape>(value ACCRS_COMMA_LINE);
    if (Shape::thread() % 32 == 0)
        of_warps<Shape, T, number>()[Shape::thread() / 32] = value;
}

// and the values of all warps in order. A loop of loads that all threads do alike costs less than
// shuffles by the number of warps, and every thread may have the result.
template <class Op, class Shape, class T, unsigned number = 0> __device__ T reduce_warps()
{
    const T *values = of_warps<Shape, T, number>();
    T result = values[0];
    for (unsigned i = 1; i < Shape::warps(); ++i)
        result = Op::template apply<T>(result, values[i]);
    return result;
}

// Over all threads of the block, of any shape; the result to all. Every thread must call it. The shape may
// be given where it is known when the kernel is compiled.
template <class Op, unsigned x = 0, unsigned y = 1, unsigned z = 1, class T>
__device__ T reduce_block(T value ACCRS_COMMA_LINE_PARAMETER)
{
    using Shape = Block<x, y, z>;
    store_warp<Op, Shape>(value ACCRS_COMMA_LINE);
    __syncthreads(ACCRS_LINE);
    value = reduce_warps<Op, Shape, T>();
    __syncthreads(ACCRS_LINE); // the warps' values may be written again
    return value;
}

// Over the lanes of one worker; the result to all its lanes. Every lane must call it, other
// workers need not. `lanes` and `workers` as for sync_worker.
template <class Op, unsigned lanes = 0, unsigned workers = 0, class T>
__device__ T reduce_vector(T value ACCRS_COMMA_LINE_PARAMETER)
{
    // Known rows that divide a warp, or are whole warps, are full.
    constexpr unsigned known = lanes < 32 ? lanes : 32;
    constexpr bool is_full = lanes != 0 && (lanes < 32 ? 32 % known == 0 : lanes % 32 == 0);
    const unsigned all = lanes != 0 ? lanes : blockDim.x;
    const unsigned first = linear_thread() - threadIdx.x;
    const unsigned row = all < 32 ? all : 32;
    const unsigned mask = lanes == 0 || lanes < 32 ? lane_bits(row) << (all < 32 ? first % 32 : 0) : 0xffffffffu;
    if constexpr (is_full)
        value = reduce_row<Op, known>(mask, value ACCRS_COMMA_LINE);
    else
        value = reduce_lanes<Op>(value, all < 32 ? first % 32 : 0, row ACCRS_COMMA_LINE);
    // Rows within a warp hand the result on by shuffles: no shared memory, no barrier.
    if (all <= 32) {
        constexpr int words = (sizeof(T) + 3) / 4;
        unsigned word[words] = {};
        memcpy(word, &value, sizeof value);
        for (int i = 0; i < words; ++i)
            if constexpr (is_full)
                word[i] = __shfl_sync(mask, word[i], 0, known ACCRS_COMMA_LINE);
            else
                word[i] = __shfl_sync(mask, word[i], static_cast<int>(first % 32), 32 ACCRS_COMMA_LINE);
        memcpy(&value, word, sizeof value);
        return value;
    }
    if constexpr (lanes == 0 || lanes > 32) {
        __shared__ T of_warp[32];
        if (threadIdx.x % 32 == 0)
            of_warp[linear_thread() / 32] = value;
        sync_worker<lanes, workers>(ACCRS_LINE);
        T result = of_warp[first / 32];
        for (unsigned i = 1; i < all / 32; ++i)
            result = Op::template apply<T>(result, of_warp[first / 32 + i]);
        sync_worker<lanes, workers>(ACCRS_LINE); // of_warp may be used again
        return result;
    }
    return value;
}

// Over the workers of the block, each with the value of its lane 0; the result to all. Every
// thread of the block must call it. The shape may be given as for reduce_block.
template <class Op, unsigned x = 0, unsigned y = 1, unsigned z = 1, class T>
__device__ T reduce_worker(T value ACCRS_COMMA_LINE_PARAMETER)
{
    return reduce_block<Op, x, y, z>(threadIdx.x == 0 ? value : Op::template identity<T>() ACCRS_COMMA_LINE);
}

// The elements of an array of any number of dimensions, one after another. Their type has no qualifiers,
// which a program's own array may have.
template <class A> struct Elements {
    using qualified = typename std::remove_all_extents<A>::type;
    using type = std::remove_cv_t<qualified>;
    static constexpr unsigned count = sizeof(A) / sizeof(type);
    static __device__ qualified *of(A &array) { return reinterpret_cast<qualified *>(&array); }
};

template <class Op, class A> __device__ void set_identity(A &array)
{
    for (unsigned k = 0; k < Elements<A>::count; ++k)
        Elements<A>::of(array)[k] = Op::template identity<typename Elements<A>::type>();
}

// The reduction of an array's elements within a block: sets their values aside,
template <class Op, class A, class B> __device__ void begin_reduction(A &array, B &before)
{
    for (unsigned k = 0; k < Elements<A>::count; ++k)
        Elements<B>::of(before)[k] = Elements<A>::of(array)[k];
    set_identity<Op>(array);
}

// and combines those of the threads with them at the end, one element after another.
template <class Op, unsigned lanes = 0, unsigned workers = 0, class A, class B>
__device__ void end_reduction_vector(A &array, B &before ACCRS_COMMA_LINE_PARAMETER)
{
    using T = typename Elements<A>::type;
    auto *values = Elements<A>::of(array);
    const T *earlier = Elements<B>::of(before);
    for (unsigned k = 0; k < Elements<A>::count; ++k)
        values[k] = Op::template apply<T>(earlier[k], reduce_vector<Op, lanes, workers>(values[k] ACCRS_COMMA_LINE));
}

template <class Op, class A, class B>
__device__ void end_reduction_block(A &array, B &before ACCRS_COMMA_LINE_PARAMETER)
{
    using T = typename Elements<A>::type;
    auto *values = Elements<A>::of(array);
    const T *earlier = Elements<B>::of(before);
    for (unsigned k = 0; k < Elements<A>::count; ++k)
        values[k] = Op::template apply<T>(earlier[k], reduce_block<Op>(values[k] ACCRS_COMMA_LINE));
}

template <class Op, class A, class B>
__device__ void end_reduction_worker(A &array, B &before ACCRS_COMMA_LINE_PARAMETER)
{
    using T = typename Elements<A>::type;
    auto *values = Elements<A>::of(array);
    const T *earlier = Elements<B>::of(before);
    for (unsigned k = 0; k < Elements<A>::count; ++k)
        values[k] = Op::template apply<T>(earlier[k], reduce_worker<Op>(values[k] ACCRS_COMMA_LINE));
}

// *address = Op(*address, value), of a T of 4 or 8 bytes for which the order of such steps makes no difference.
template <class Op, class T> __device__ void combine_atomically(T *address, T value)
{
    using Word = atomic::WordOf<T>;
    using Signed = std::conditional_t<sizeof(T) == 4, int, long long>;
    using Ordered = std::conditional_t<std::is_signed<T>::value, Signed, Word>;
    if constexpr (std::is_integral<T>::value && std::is_same<Op, Sum>::value) {
        atomicAdd(reinterpret_cast<Word *>(address), static_cast<Word>(value));
    } else if constexpr (std::is_integral<T>::value && std::is_same<Op, Max>::value) {
        atomicMax(reinterpret_cast<Ordered *>(address), static_cast<Ordered>(value));
    } else if constexpr (std::is_integral<T>::value && std::is_same<Op, Min>::value) {
        atomicMin(reinterpret_cast<Ordered *>(address), static_cast<Ordered>(value));
    } else {
        const auto combined = [value](T old) { return Op::template apply<T>(old, value); };
#if !ACCRS_EMULATED // Mostly the result is there already; how often is chance, which counts do without.
        const T seen = atomic_load(address);
        if (atomic::same_bits<Word>(combined(seen)) == atomic::same_bits<Word>(seen))
            return;
#endif
        atomic::change(address, combined);
    }
}

} // namespace accrs

#endif
