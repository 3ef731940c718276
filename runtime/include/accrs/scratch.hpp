// SPDX-License-Identifier: 0BSD
//
// Private arrays in device memory, as kernels see them.
#ifndef ACCRS_SCRATCH_HPP
#define ACCRS_SCRATCH_HPP

#include "partials.hpp"
#include "scratch_memory.hpp"

namespace accrs {

// Memory of any type.
struct Address {
    char *byte;
    template <class T> __device__ operator T *() const { return reinterpret_cast<T *>(byte); }
};

// What a kernel gets of the copies (scratch_memory.hpp).
struct Copies {
    char *first;
    std::size_t pitch;
    long offset;
    long bytes;

    __device__ Address of_grid() const { return {first}; }
    __device__ Address of_gang() const { return {first + pitch * block_index()}; }
    __device__ Address of_worker() const { return {first + pitch * (block_index() * blockDim.y + threadIdx.y)}; }
    __device__ Address of_thread() const { return {first + pitch * (block_index() * block_threads() + linear_thread())}; }

    // Of the array that begins at `array`: the elements that there are, and their number.
    template <class T, class A> __device__ T *part(A *array) const
    {
        char *first = const_cast<char *>(reinterpret_cast<const volatile char *>(array));
        return reinterpret_cast<T *>(first + offset);
    }
    template <class T> __device__ std::size_t count() const { return bytes > 0 ? bytes / sizeof(T) : 0; }
};

// The reduction of so many elements, of which each thread has a copy (partials.hpp).
template <class Op, class T> __device__ void set_part(T *values, std::size_t count)
{
    for (std::size_t k = 0; k < count; ++k)
        values[k] = Op::template identity<T>();
}

template <class Op, class T>
__device__ void store_part(T *partials, T *values, std::size_t count ACCRS_COMMA_LINE_PARAMETER)
{
    const std::size_t blocks = static_cast<std::size_t>(gridDim.x) * gridDim.y * gridDim.z;
    for (std::size_t k = 0; k < count; ++k)
        store_partial<Op>(partials + k * blocks, values[k] ACCRS_COMMA_LINE);
}

// Where every thread of a block holds the block's values: the first one's count.
template <class Op, class T>
__device__ void store_gang_part(T *partials, T *values, std::size_t count ACCRS_COMMA_LINE_PARAMETER)
{
    if (linear_thread() != 0)
        set_part<Op>(values, count);
    store_part<Op>(partials, values, count ACCRS_COMMA_LINE);
}

// The reduction of a gang's own elements, over those who share a loop: the copy of the first of them
// begins with the values so far,
template <class Op, class T> __device__ void begin_part_vector(T *values, std::size_t count)
{
    if (threadIdx.x != 0)
        set_part<Op>(values, count);
}

template <class Op, class T> __device__ void begin_part_worker(T *values, std::size_t count)
{
    if (worker() != 0)
        set_part<Op>(values, count);
}

template <class Op, class T> __device__ void begin_part_block(T *values, std::size_t count)
{
    if (linear_thread() != 0)
        set_part<Op>(values, count);
}

// and at the end all copies have the result.
template <class Op, unsigned lanes = 0, unsigned workers = 0, class T>
__device__ void end_part_vector(T *values, std::size_t count ACCRS_COMMA_LINE_PARAMETER)
{
    for (std::size_t k = 0; k < count; ++k)
        values[k] = reduce_vector<Op, lanes, workers>(values[k] ACCRS_COMMA_LINE);
}

template <class Op, class T>
__device__ void end_part_worker(T *values, std::size_t count ACCRS_COMMA_LINE_PARAMETER)
{
    for (std::size_t k = 0; k < count; ++k)
        values[k] = reduce_worker<Op>(values[k] ACCRS_COMMA_LINE);
}

template <class Op, class T>
__device__ void end_part_block(T *values, std::size_t count ACCRS_COMMA_LINE_PARAMETER)
{
    for (std::size_t k = 0; k < count; ++k)
        values[k] = reduce_block<Op>(values[k] ACCRS_COMMA_LINE);
}

// Where the elements are on the host.
template <class T> T *part(void *array, long offset)
{
    return reinterpret_cast<T *>(static_cast<char *>(array) + offset);
}

// What a launcher declares.
class ScratchCopies : public ScratchMemory {
public:
    using ScratchMemory::ScratchMemory;

    Copies copies() const { return {first(), pitch(), offset(), bytes()}; }
};

} // namespace accrs

#endif
