// SPDX-License-Identifier: 0BSD
//
// The host's memory and its copies on devices: which of the two is newer, piece by piece.
//
// A cell of device memory tells it of a section that is present:
//
//     `stale`                              the host's is newer
//     a kernel's tag without `shown`       the device's is newer
//     `uninitialised`                      the device has none
//     anything else                        both are the same
#ifndef ACCRS_CHECKS_COHERENCE_HPP
#define ACCRS_CHECKS_COHERENCE_HPP

#include "queues.hpp"
#include "shadow.hpp"

#include <cstddef>
#include <cstdint>

namespace accrs::checks {

// All of the host's memory that an access by the host may matter for. Read without a lock: an access
// that comes at the same time as a data directive may pass unseen.
struct HostSpan {
    std::uintptr_t begin = ~std::uintptr_t(0);
    std::size_t bytes = 0;
};

extern ACCRS_NEAR HostSpan host_span;

// An access of the host program within that.
void judge_host(Access access, std::uintptr_t address, std::size_t bytes, const void *pc);

// What the running host thread accesses, if a watched build tells of it.
inline void host_access(Access access, const void *pointer, std::size_t bytes, const void *pc)
{
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (__builtin_expect(address - host_span.begin < host_span.bytes || host_span.begin - address < bytes, 0))
        judge_host(access, address, bytes, pc);
}

// A launcher on this thread prepares a launch: it may look at the host's value of what the device
// computes, which chooses a grid and no result.
extern __thread bool launcher_runs;

// The host's memory is given back, or a function's variables end: what was known of it is void.
void host_forgets(std::uintptr_t begin, std::size_t bytes);
// The variables of a function that ends lie below `frame` on the host thread's stack.
extern ACCRS_NEAR bool doubts_on_stack;
void host_frame_ends(std::uintptr_t frame);

// A kernel reads a cell that is `stale`.
void judge_stale(const Attempt &attempt, const Cell &cell, std::uintptr_t address);

} // namespace accrs::checks

#endif
