// SPDX-License-Identifier: 0BSD
//
// Every load and store of a kernel is an event of the running thread.
#include "warps.hpp"

#include "../emulation/watch.hpp"
#include "../watch/text.hpp"

#include <algorithm>

namespace accrs::counts {

namespace {

constexpr std::size_t most_bytes = 32768;

void observe_range(Access access, const void *pointer, std::size_t bytes, const void *pc)
{
    std::vector<Event> *const events = running.events;
    if (events == nullptr || bytes == 0)
        return;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    Space space = Space::shared;
    if (arena.contains(address))
        space = Space::device;
    else if (!running.shared.contains(address) && !running.dynamic.contains(address))
        return;
    // Copies of any length, in pieces that an event can hold.
    for (std::size_t done = 0; done < bytes; done += most_bytes)
        events->push_back({address + done, watch::site_of(pc), static_cast<std::uint16_t>(std::min(bytes - done, most_bytes)), access, space});
}

template <Access access, std::size_t bytes> void observe(const void *pointer, const void *pc)
{
    observe_range(access, pointer, bytes, pc);
}

// Whether a kernel runs, and not the runtime or the host program alone.
bool in_kernel()
{
    return running.events != nullptr;
}

constexpr bool watches_host = false;

void frame_ends(const void *) {}

} // namespace

} // namespace accrs::counts

namespace accrs::watch {

using namespace counts;

void atomic_access(void *address, std::size_t bytes, const void *pc) { observe_range(Access::atomic, address, bytes, pc); }
void atomic_read(void *address, std::size_t bytes, const void *pc) { observe_range(Access::read, address, bytes, pc); }
void atomic_write(void *address, std::size_t bytes, const void *pc) { observe_range(Access::write, address, bytes, pc); }

// What orders accesses is not counted.
InOneStep::InOneStep(const void *) {}
InOneStep::~InOneStep() = default;
void fence() {}

} // namespace accrs::watch

using namespace accrs::counts;

#include "../watch/calls.hpp"
