// SPDX-License-Identifier: 0BSD
//
// What orders the blocks of a launch. A thread that has passed a fence and then changes a variable in
// one step releases what came before the fence. A thread that changes or reads the variable in one
// step later, and then passes a fence, acquires that, and what those that released had acquired
// (PTX ISA, "Release and Acquire Patterns"). Others of its block have it once they have met that
// thread. A variable is known from its first release on; each launch begins anew.
#include "release.hpp"

#include "../emulation/kernel.hpp"
#include "../emulation/watch.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

namespace accrs::checks {

namespace {

struct Variable;

// How many of the releases of each variable.
using Acquired = std::map<Variable *, std::uint64_t>;

void join(Acquired &to, const Acquired &from)
{
    for (const auto &[variable, releases] : from) {
        std::uint64_t &known = to[variable];
        known = std::max(known, releases);
    }
}

// What is before a thread's fence: its own accesses, and those of threads that it has met.
struct Fence {
    Tag block = 0; // since when the block runs; 0: there is no fence
    Tag phase = 0, worker = 0, warp = 0, own = 0;
    Acquired acquired;

    bool covers(Tag tag, unsigned thread) const
    {
        const unsigned other = thread_of(tag);
        return tag >= block && (tag & foreign) == 0 &&
               (tag < phase || (tag < own && other == thread && (tag & many) == 0) ||
                (tag < worker && worker_of(other) == worker_of(thread) && (tag & many_workers) == 0) ||
                (tag < warp && other / 32 == thread / 32 && (tag & many_warps) == 0));
    }
};

struct Release {
    Fence fence;
    unsigned thread;
    std::uint64_t number;
};

struct Variable {
    std::mutex mutex; // held while the variable is changed
    Tag launch = 0;
    std::uint64_t releases = 0;
    std::map<unsigned, std::vector<Release>> of_processors; // each in the order of time
    Acquired before;                                        // by those that released
};

std::mutex known_mutex;
std::map<std::uintptr_t, Variable> known;
std::atomic<bool> any_fence{false};

// What a thread of the running block has acquired.
struct Acquisition {
    unsigned thread;
    Tag time;
    Variable *variable;
    std::uint64_t releases;
};

struct Block {
    Tag begin = 0;
    std::vector<Fence> fences = std::vector<Fence>(1024);
    std::vector<Acquired> seen = std::vector<Acquired>(1024); // since a thread's last fence
    std::vector<Acquisition> acquisitions;
};

Block &running_block()
{
    static thread_local Block *const block = new Block; // as long as the processor may run
    if (block->begin != running.block_floor) {
        std::fill(block->seen.begin(), block->seen.end(), Acquired{});
        block->acquisitions.clear();
        block->begin = running.block_floor;
    }
    return *block;
}

bool may_use(const Acquisition &acquired, unsigned thread)
{
    const unsigned worker = worker_of(thread);
    return acquired.thread == thread || acquired.time < running.phase_floor ||
           (worker_of(acquired.thread) == worker && acquired.time < worker_floor(worker)) ||
           (acquired.thread / 32 == thread / 32 && acquired.time < warp_floor(thread / 32));
}

// Whether one of the first `releases` of a variable is after the access.
bool has_released(Variable &variable, std::uint64_t releases, Tag access)
{
    const std::lock_guard<std::mutex> lock(variable.mutex);
    const auto found = variable.of_processors.find(processor_of(access));
    if (found == variable.of_processors.end())
        return false;
    const std::vector<Release> &list = found->second;
    const auto begins_later = [](Tag tag, const Release &release) { return tag < release.fence.block; };
    const auto last = std::upper_bound(list.begin(), list.end(), access, begins_later);
    if (last == list.begin())
        return false;
    const Tag block = std::prev(last)->fence.block; // the one that made the access, if it released at all
    for (auto at = last; at != list.begin() && std::prev(at)->fence.block == block; --at)
        if (std::prev(at)->number < releases && std::prev(at)->fence.covers(access, std::prev(at)->thread))
            return true;
    return false;
}

// The variable that a thread with or without a fence is about to change; null where none of its
// changes has released anything so far.
Variable *find(std::uintptr_t address, bool releases)
{
    const auto found = releases ? known.try_emplace(address).first : known.find(address);
    return found == known.end() ? nullptr : &found->second;
}

} // namespace

bool is_acquired(Tag earlier)
{
    if (!any_fence.load(std::memory_order_relaxed))
        return false;
    for (const Acquisition &acquired : running_block().acquisitions)
        if (may_use(acquired, thread_of(running.now)) && has_released(*acquired.variable, acquired.releases, earlier))
            return true;
    return false;
}

} // namespace accrs::checks

namespace accrs::watch {

using namespace checks;

void fence()
{
    if (running.now == 0)
        return;
    settle();
    any_fence.store(true, std::memory_order_relaxed);
    const unsigned thread = thread_of(running.now), worker = worker_of(thread), warp = thread / 32;
    const Tag now = thread_fences(thread);
    Block &block = running_block();
    for (const auto &[variable, releases] : block.seen[thread])
        block.acquisitions.push_back({thread, now, variable, releases});
    block.seen[thread].clear();
    Fence &fence = block.fences[thread];
    fence = {running.block_floor, running.phase_floor, worker_floor(worker), warp_floor(warp), now, {}};
    for (const Acquisition &acquired : block.acquisitions)
        if (may_use(acquired, thread))
            join(fence.acquired, {{acquired.variable, acquired.releases}});
}

InOneStep::InOneStep(const void *address)
{
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    if (!any_fence.load(std::memory_order_relaxed) || running.now == 0 || !running.may_reach(place))
        return;
    const bool releases = running_block().fences[thread_of(running.now)].block == running.block_floor;
    known_mutex.lock();
    Variable *variable = find(place, releases);
    if (variable == nullptr) { // what makes it known meanwhile has to wait
        held_ = &known_mutex;
        return;
    }
    variable->mutex.lock();
    held_ = &variable->mutex;
    known_mutex.unlock();
    variable_ = variable;
}

InOneStep::~InOneStep()
{
    if (held_ == nullptr)
        return;
    if (variable_ != nullptr) {
        auto &variable = *static_cast<Variable *>(variable_);
        if (variable.launch < running.launch_floor) {
            variable.of_processors.clear();
            variable.before.clear();
            variable.launch = running.launch_floor;
        }
        const unsigned thread = thread_of(running.now);
        Block &block = running_block();
        join(block.seen[thread], variable.before);
        join(block.seen[thread], {{&variable, variable.releases}});
        const Fence &fence = block.fences[thread];
        if (fence.block == running.block_floor) {
            variable.of_processors[processor_of(running.now)].push_back({fence, thread, variable.releases++});
            join(variable.before, fence.acquired);
        }
    }
    static_cast<std::mutex *>(held_)->unlock();
}

} // namespace accrs::watch
