// SPDX-License-Identifier: 0BSD
//
// Private arrays in device memory, as the launcher has them: room for a copy for each gang, worker or
// thread.
#ifndef ACCRS_SCRATCH_MEMORY_HPP
#define ACCRS_SCRATCH_MEMORY_HPP

#include "launch.hpp"

namespace accrs {

// Who has a copy: the whole grid shares one, or each of these.
enum class ScratchOwner { grid, gang, worker, thread };

// The same grid, or a smaller one where copies of so many bytes for each thread, worker and gang
// would take more memory than a device that is busy with them needs. Loops stride over the grid, so
// that any serves.
dim3 scratch_grid(dim3 grid, dim3 block, std::size_t of_thread, std::size_t of_worker, std::size_t of_gang);

// Copies of an array for as long as the launcher runs; the queue's order keeps them alive for the
// kernel.
class ScratchMemory {
public:
    // Copies of `bytes` bytes, which stand for those from `offset` on. With a source, each copy
    // begins with what the host has there.
    ScratchMemory(dim3 grid, dim3 block, ScratchOwner owner, long bytes, long offset, const void *source = nullptr);

    // Where the first copy's array would begin if all of it were there: of a section from index 2
    // on, two elements before the copy.
    char *first() const { return memory_.data() - offset_; }
    // Bytes from a copy to the next.
    std::size_t pitch() const { return pitch_; }
    long offset() const { return offset_; }
    long bytes() const { return bytes_; }

private:
    std::size_t pitch_;
    long offset_;
    long bytes_;
    Scratch<char> memory_;
};

} // namespace accrs

#endif
