// SPDX-License-Identifier: 0BSD
//
// Private arrays in device memory: a copy for each gang, worker or thread of a launch.
#ifndef ACCRS_SCRATCH_HPP
#define ACCRS_SCRATCH_HPP

#include "launch.hpp"
#include "partials.hpp"

namespace accrs {

// Memory of any type.
struct Address {
    char *byte;
    template <class T> __device__ operator T *() const { return reinterpret_cast<T *>(byte); }
};

// What a kernel gets of them. `first` is where the first copy's array would begin if all of it
// were there: of a section from index 2 on, two elements before the copy.
struct Copies {
    char *first;
    std::size_t pitch;

    __device__ Address of_grid() const { return {first}; }
    __device__ Address of_gang() const { return {first + pitch * block_index()}; }
    __device__ Address of_worker() const { return {first + pitch * (block_index() * blockDim.y + threadIdx.y)}; }
    __device__ Address of_thread() const { return {first + pitch * (block_index() * block_threads() + linear_thread())}; }
};

// Who has a copy: the whole grid shares one, or each of these.
enum class ScratchOwner { grid, gang, worker, thread };

// The same grid, or a smaller one where copies of so many bytes for each thread, worker and gang
// would take more memory than a device that is busy with them needs. Loops stride over the grid, so
// that any serves.
dim3 scratch_grid(dim3 grid, dim3 block, std::size_t of_thread, std::size_t of_worker, std::size_t of_gang);

// Copies of an array for as long as the launcher runs; the queue's order keeps them alive for the
// kernel.
class ScratchCopies {
public:
    // Copies of `bytes` bytes, which stand for those from `offset` on. With a source, each copy
    // begins with what the host has there.
    ScratchCopies(dim3 grid, dim3 block, ScratchOwner owner, long bytes, long offset, const void *source = nullptr);

    Copies copies() const { return {memory_.data() - offset_, pitch_}; }

private:
    std::size_t pitch_;
    long offset_;
    Scratch<char> memory_;
};

} // namespace accrs

#endif
