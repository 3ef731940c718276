// SPDX-License-Identifier: 0BSD
//
// CUDA's asynchronous copies to shared memory. A copy reads at once and writes when its thread
// waits for it, which is as late as CUDA may do so: a program that does not wait finds what was
// there before.
#ifndef ACCRS_EMULATION_PIPELINE_HPP
#define ACCRS_EMULATION_PIPELINE_HPP

#include "kernel.hpp"
#include "words.hpp"

#include <cstddef>

namespace accrs::emulation {

// A copy that has read.
struct PendingCopy {
    void *to;
    unsigned bytes;
    unsigned batch;
    alignas(16) unsigned char value[16];
};

// The running thread begins a copy.
void begin_copy(void *to, const unsigned char *value, unsigned bytes);
// The copies that it began since the last time are a batch.
void commit_copies();
// Gives one copy that must be done before only the `prior` latest batches may be pending; false
// if there is none left.
bool next_copy_due(unsigned prior, PendingCopy &copy);
// A new block has no pending copies.
void forget_copies();
// The addresses of a copy are not multiples of its size: the launch fails.
[[noreturn]] void misaligned_copy(int line);

inline void copy_words(void *to, const void *from, std::size_t bytes)
{
    switch (bytes) {
    case 4:
        copy_word<4>(to, from);
        break;
    case 8:
        copy_word<8>(to, from);
        break;
    default:
        copy_word<16>(to, from);
        break;
    }
}

} // namespace accrs::emulation

// NOLINTBEGIN: CUDA's names
inline void __pipeline_memcpy_async(void *shared, const void *global, std::size_t bytes, std::size_t zeros = 0,
                                    int line = __builtin_LINE())
{
    const auto addresses = reinterpret_cast<std::size_t>(shared) | reinterpret_cast<std::size_t>(global);
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes || addresses % bytes != 0)
        accrs::emulation::misaligned_copy(line);
    alignas(16) unsigned char value[16] = {};
    if (zeros == 0)
        accrs::emulation::copy_words(value, global, bytes);
    else if (zeros < bytes)
        __builtin_memcpy(value, global, bytes - zeros);
    accrs::emulation::begin_copy(shared, value, static_cast<unsigned>(bytes));
}

inline void __pipeline_commit()
{
    accrs::emulation::commit_copies();
}

inline void __pipeline_wait_prior(std::size_t prior)
{
    accrs::emulation::PendingCopy copy;
    while (accrs::emulation::next_copy_due(static_cast<unsigned>(prior), copy))
        accrs::emulation::copy_words(copy.to, copy.value, copy.bytes);
}
// NOLINTEND

#endif
