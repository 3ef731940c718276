// SPDX-License-Identifier: 0BSD
//
// Every load and store of a kernel. What is in order and common is decided here in a few
// comparisons; all else goes to judge().
#include "coherence.hpp"
#include "fetch.hpp"
#include "shadow.hpp"
#include "stores.hpp"

#include "../emulation/watch.hpp"

#include <cstring>

namespace accrs::checks {

__thread Running running __attribute__((tls_model("initial-exec"))) = {};

namespace {

#define ACCRS_HOT __attribute__((always_inline)) inline

// A read besides one by another thread of the launch: what judge() makes of the two, for the usual
// cases. False: ask it.
template <Space space> ACCRS_HOT bool joins(Cell &cell, Tag read, const Running &r, std::uint32_t site)
{
    const Tag differs = read ^ r.now;
    Tag joined;
    if (differs >> processor_shift == 0) { // in one phase of the block
        const unsigned before = thread_of(read), thread = thread_of(r.now);
        if (r.worker_shift == 32)
            return false;
        joined = read | many;
        if (before >> r.worker_shift != thread >> r.worker_shift)
            joined |= many_workers;
        if (before / 32 != thread / 32)
            joined |= many_warps;
    } else if (space == Space::device && (differs >> processor_shift << (64 - time_shift + processor_shift) != 0 || read < r.block_floor)) {
        joined = read | foreign;
    } else if (space == Space::device && read < r.phase_floor && (read & foreign) == 0) {
        cell.read_site = site;
        joined = r.now;
    } else {
        return false;
    }
    if (joined != read)
        cell.read = joined;
    return true;
}

// Whether nothing is wrong with this read, and recorded what is to be recorded. `ordered` is where
// those tags begin that may be of an access at the same time.
template <Space space> ACCRS_HOT bool read_is_fine(Cell &cell, const Running &r, Tag ordered, std::uint32_t site)
{
    const Tag write = cell.write;
    const Tag initialised = space == Space::device ? given : r.block_floor;
    if (write - initialised >= ordered - initialised && write != r.now)
        return false;
    const Tag read = cell.read;
    if (read == r.now)
        return true;
    if (read >= ordered)
        return joins<space>(cell, read, r, site);
    cell.read = r.now;
    cell.read_site = site;
    return true;
}

template <Space space> ACCRS_HOT bool write_is_fine(Cell &cell, const Running &r, Tag ordered, std::uint32_t site)
{
    const Tag write = cell.write;
    const Tag read = cell.read;
    if (read >= ordered && read != r.now)
        return false;
    if (write != r.now) {
        const Tag allocated = space == Space::device ? uninitialised : 0;
        if (write - allocated >= ordered - allocated)
            return false;
        cell.write = r.now;
    }
    cell.write_site = site;
    return true;
}

void judge_range(const Attempt &attempt, const Region &region)
{
    if (running.fetching)
        judge_fetch(attempt, region);
    else
        judge_all(attempt, region);
}

enum class Memory { device, shared, dynamic, other };

// Out of line and with what is in registers anyway, so that the fast path needs no stack.
template <Access access, std::size_t bytes, Memory memory>
__attribute__((noinline)) void judge_slowly(std::uintptr_t address, const void *pc)
{
    if (memory == Memory::device)
        judge_range({access, Space::device, address, bytes, pc}, arena);
    else if (memory == Memory::other)
        judge_other({access, Space::device, address, bytes, pc});
    else
        judge_range({access, Space::shared, address, bytes, pc}, memory == Memory::shared ? running.shared : running.dynamic);
}

template <Access access, Space space, std::size_t bytes, Memory memory>
ACCRS_HOT void check_region(std::uintptr_t address, const Region &region, Tag ordered, const Running &r, const void *pc)
{
    const std::uint32_t site = site_of(pc);
    if (bytes >= granule && (address & (granule - 1)) == 0) {
        Cell *cell = region.cells + (address - region.begin) / granule;
        bool fine = true;
        for (std::size_t i = 0; i < bytes / granule; ++i)
            fine &= access == Access::read ? read_is_fine<space>(cell[i], r, ordered, site)
                                           : write_is_fine<space>(cell[i], r, ordered, site);
        if (__builtin_expect(fine, 1))
            return;
    } else if (bytes < granule) {
        Cell &whole = region.cells[(address - region.begin) / granule];
        if (whole.write == split) {
            Cell *cell = region.byte_cells + (address - region.begin);
            bool fine = true;
            for (std::size_t i = 0; i < bytes; ++i)
                fine &= access == Access::read ? read_is_fine<space>(cell[i], r, ordered, site)
                                               : write_is_fine<space>(cell[i], r, ordered, site);
            if (fine)
                return;
        }
    }
    judge_slowly<access, bytes, memory>(address, pc);
}

template <Access access, std::size_t bytes> ACCRS_HOT void observe(const void *pointer, const void *pc)
{
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const Running &r = running;
    if (r.may_reach(address)) {
        if (__builtin_expect(r.now != 0, 1))
            check_region<access, Space::device, bytes, Memory::device>(address, arena, r.order_floor, r, pc);
        if (access == Access::write && __builtin_expect(r.tells_stores, 0))
            note_store(address, bytes, pc);
    } else if (r.shared.contains(address)) {
        check_region<access, Space::shared, bytes, Memory::shared>(address, r.shared, r.phase_floor, r, pc);
    } else if (r.dynamic.contains(address)) {
        check_region<access, Space::shared, bytes, Memory::dynamic>(address, r.dynamic, r.phase_floor, r, pc);
    } else if (address - r.stack >= r.stack_bytes) {
        if (r.now != 0)
            judge_slowly<access, bytes, Memory::other>(address, pc);
        else
            host_access(access, pointer, bytes, pc);
    }
}

// Any number of bytes: copies of structures, memcpy, atomic functions.
void observe_range(Access access, const void *pointer, std::size_t bytes, const void *pc)
{
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const Running &r = running;
    if (bytes == 0)
        return;
    if (r.now == 0)
        return host_access(access, pointer, bytes, pc);
    if (r.may_reach(address)) {
        judge_range({access, Space::device, address, bytes, pc}, arena);
        if (access == Access::write && r.tells_stores)
            note_store(address, bytes, pc);
    } else if (r.shared.contains(address))
        judge_range({access, Space::shared, address, bytes, pc}, r.shared);
    else if (r.dynamic.contains(address))
        judge_range({access, Space::shared, address, bytes, pc}, r.dynamic);
    else if (address - r.stack >= r.stack_bytes)
        judge_other({access, Space::device, address, bytes, pc});
}

// Whether a kernel runs, and not the runtime or the host program alone.
bool in_kernel()
{
    return running.now != 0;
}

constexpr bool watches_host = true;

void frame_ends(const void *frame)
{
    if (__builtin_expect(doubts_on_stack, 0) && running.now == 0)
        host_frame_ends(reinterpret_cast<std::uintptr_t>(frame));
}

} // namespace

} // namespace accrs::checks

namespace accrs::watch {

using namespace checks;

void atomic_access(void *address, std::size_t bytes, const void *pc)
{
    observe_range(Access::atomic, address, bytes, pc);
}

void atomic_read(void *address, std::size_t bytes, const void *pc)
{
    observe_range(Access::atomic_read, address, bytes, pc);
}

void atomic_write(void *address, std::size_t bytes, const void *pc)
{
    observe_range(Access::atomic_write, address, bytes, pc);
}

} // namespace accrs::watch

using namespace accrs::checks;

#include "../watch/calls.hpp"
