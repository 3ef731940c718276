// SPDX-License-Identifier: 0BSD
#include "pipeline.hpp"

#include "processor.hpp"

#include <deque>
#include <vector>

namespace accrs::emulation {

namespace {

// Of one thread of the block that runs.
struct Copies {
    std::deque<PendingCopy> pending;
    unsigned batch = 0; // that the next copy belongs to
};

thread_local std::vector<Copies> copies_of_threads;

Copies &own_copies()
{
    const unsigned thread = linear_thread();
    if (copies_of_threads.size() <= thread)
        copies_of_threads.resize(blockDim.x * blockDim.y * blockDim.z);
    return copies_of_threads[thread];
}

} // namespace

void begin_copy(void *to, const unsigned char *value, unsigned bytes)
{
    Copies &own = own_copies();
    PendingCopy copy{to, bytes, own.batch, {}};
    __builtin_memcpy(copy.value, value, sizeof copy.value);
    own.pending.push_back(copy);
}

void commit_copies()
{
    ++own_copies().batch;
}

bool next_copy_due(unsigned prior, PendingCopy &copy)
{
    Copies &own = own_copies();
    if (own.pending.empty() || own.pending.front().batch + prior >= own.batch)
        return false;
    copy = own.pending.front();
    own.pending.pop_front();
    return true;
}

void forget_copies()
{
    if (!copies_of_threads.empty())
        copies_of_threads.clear();
}

void misaligned_copy(int line)
{
    Processor &processor = this_processor();
    processor.fail("an asynchronous copy is not of 4, 8 or 16 bytes between multiples of that", __builtin_return_address(0), line);
    processor.abandon();
}

} // namespace accrs::emulation
