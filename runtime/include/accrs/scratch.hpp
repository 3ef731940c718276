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

    __device__ Address of_grid() const { return {first}; }
    __device__ Address of_gang() const { return {first + pitch * block_index()}; }
    __device__ Address of_worker() const { return {first + pitch * (block_index() * blockDim.y + threadIdx.y)}; }
    __device__ Address of_thread() const { return {first + pitch * (block_index() * block_threads() + linear_thread())}; }
};

// What a launcher declares.
class ScratchCopies : public ScratchMemory {
public:
    using ScratchMemory::ScratchMemory;

    Copies copies() const { return {first(), pitch()}; }
};

} // namespace accrs

#endif
