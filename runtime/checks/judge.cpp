// SPDX-License-Identifier: 0BSD
//
// The rules: what may be accessed, and which accesses must not happen at the same time.
//
// Two accesses of one place, of which one writes and not both are atomic, need an order: another
// launch that is known to be over, the same thread, a barrier of the block between them, or one of their worker or warp.
// Blocks of a launch have one where what one has released the other has acquired (release.cpp).
#include "coherence.hpp"
#include "fetch.hpp"
#include "host_cells.hpp"
#include "order.hpp"
#include "release.hpp"
#include "report.hpp"
#include "shadow.hpp"

#include "../emulation/watch.hpp"
#include "../emulation/kernel.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace accrs {
bool memory_is_unified();
}

namespace accrs::emulation {
bool may_use(int device, const void *pointer);
}

namespace accrs::checks {

namespace {

// A race of two stores, of which the later one has not happened yet when it is seen.
struct Pending {
    Finding finding;
    std::uintptr_t address;
    std::size_t bytes;
    unsigned char before[16];
};

thread_local std::vector<Pending> pending;

void found_race(const Attempt &attempt, const Cell &cell, Tag other, bool other_reads, std::uintptr_t address)
{
    const bool is_of_launch = attempt.space == Space::shared || other >= running.launch_floor;
    Finding finding = finding_here(is_of_launch ? "race" : "queues", attempt.pc);
    finding.space = attempt.space == Space::device ? "device" : "shared";
    finding.access = word(attempt.access);
    finding.other_access = word(other_reads ? Access::read : (other & atomic) != 0 ? Access::atomic : Access::write);
    finding.object = attempt.space == Space::shared ? shared_object(address)
                     : arena.contains(address)      ? watch::device_object(address)
                                                    : watch::host_object(address);
    if (finding.object.compilers)
        return;
    finding.size = attempt.bytes;
    if (!is_of_launch) {
        describe_other_launch(finding, other, other_reads ? cell.read_site : cell.write_site);
        report(std::move(finding));
        return;
    }
    describe_other(finding, other, other_reads ? cell.read_site : cell.write_site);
    const bool stores = attempt.access == Access::write && !other_reads && (other & atomic) == 0;
    if (stores && attempt.space == Space::shared && is_channel(address)) {
        finding.note = "channel";
    } else if (stores && attempt.bytes <= sizeof(Pending::before)) {
        Pending later{std::move(finding), attempt.begin, attempt.bytes, {}};
        std::memcpy(later.before, reinterpret_cast<const void *>(attempt.begin), attempt.bytes);
        pending.push_back(std::move(later));
        running.unsettled = true;
        return;
    }
    report(std::move(finding));
}

void found_uninitialised(const Attempt &attempt, std::uintptr_t address)
{
    Finding finding = finding_here("uninitialised", attempt.pc);
    finding.space = attempt.space == Space::device ? "device" : "shared";
    finding.access = word(attempt.access);
    finding.object = attempt.space == Space::device ? watch::device_object(address) : shared_object(address);
    if (finding.object.compilers)
        return;
    finding.size = attempt.bytes;
    report(std::move(finding));
}

[[noreturn]] void found_outside(const Attempt &attempt, std::uintptr_t address, const char *kind)
{
    Finding finding = finding_here(kind, attempt.pc);
    finding.space = "device";
    finding.access = word(attempt.access);
    finding.size = attempt.bytes;
    if (arena.contains(address))
        finding.object = watch::device_object(address);
    if (arena.contains(address) && finding.object.bytes == 0)
        finding.object = watch::nearest_device_object(address);
    report_and_stop(std::move(finding));
}

// What is kept of two reads, or atomic updates, of which neither waits for the other.
Tag joined(Tag earlier, Tag now, Space space)
{
    if (!concurrent(earlier, space))
        return now;
    if (!same_block(earlier))
        return (earlier & ~shown) | foreign;
    const unsigned before = thread_of(earlier), thread = thread_of(now);
    Tag flags = many | (earlier & ((Tag(1) << thread_shift) - 1) & ~shown);
    if (worker_of(before) != worker_of(thread))
        flags |= many_workers;
    if (before / 32 != thread / 32)
        flags |= many_warps;
    const Tag time = std::max(earlier, now) >> time_shift << time_shift;
    return time | (earlier & ((Tag(1) << time_shift) - 1)) | flags;
}

// Read once: what another processor does to the cell then is not seen.
Tag last_write(const Cell &cell)
{
    return __atomic_load_n(&cell.write, __ATOMIC_RELAXED);
}

bool lacks_value(Space space, Tag write)
{
    return space == Space::device ? write == uninitialised : write < running.block_floor;
}

// `write` is the cell's last write, as the caller has read it: another processor may split the cell
// meanwhile, and that tag is no access.
void judge_cell(const Attempt &attempt, Cell &cell, Tag write, std::uintptr_t address)
{
    if (attempt.space == Space::device && write == unallocated && arena.contains(address))
        found_outside(attempt, address, "outside");
    const bool in_one_step = is_atomic(attempt.access);
    if (needs_value(attempt.access) && lacks_value(attempt.space, write)) {
        if (!attempt.has_value)
            found_uninitialised(attempt, address);
        if (attempt.space == Space::device && !attempt.has_value)
            cell.write = given; // said once
    } else if (attempt.space == Space::device && write == stale) {
        if (needs_value(attempt.access)) {
            judge_stale(attempt, cell, address);
            cell.write = given; // said once
        }
    } else if (concurrent(write, attempt.space) && !(in_one_step && (write & atomic) != 0)) {
        found_race(attempt, cell, write, false, address);
    }
    if (attempt.access == Access::read) {
        const Tag kept = joined(cell.read, running.now, attempt.space);
        if (kept == running.now)
            cell.read_site = site_of(attempt.pc);
        cell.read = kept;
        return;
    }
    if (attempt.access == Access::atomic_read)
        return;
    if (concurrent(cell.read, attempt.space))
        found_race(attempt, cell, cell.read, true, address);
    const Tag now = in_one_step ? running.now | atomic : running.now;
    cell.write = in_one_step && (write & atomic) != 0 ? joined(write, now, attempt.space) : now;
    cell.write_site = site_of(attempt.pc);
}

} // namespace

bool same_block(Tag tag)
{
    return processor_of(tag) == processor_of(running.now) && tag >= running.block_floor && (tag & foreign) == 0;
}

bool concurrent(Tag earlier, Space space)
{
    const Running &r = running;
    // Shared memory is another one for each block.
    if (earlier < (space == Space::device ? r.order_floor : r.block_floor))
        return false;
    if (space == Space::device && earlier < r.launch_floor)
        return overlaps_launch(earlier);
    if (!same_block(earlier))
        return !is_acquired(earlier);
    if (earlier < r.phase_floor)
        return false;
    const unsigned before = thread_of(earlier), thread = thread_of(r.now);
    if (before == thread && (earlier & many) == 0)
        return false;
    const unsigned worker = worker_of(thread);
    if ((earlier & many_workers) == 0 && worker_of(before) == worker && earlier < worker_floor(worker))
        return false;
    return (earlier & many_warps) != 0 || before / 32 != thread / 32 || earlier >= warp_floor(thread / 32);
}

bool has_value(const Attempt &attempt, const Region &region)
{
    for (std::uintptr_t address = attempt.begin; address < attempt.begin + attempt.bytes; ++address) {
        const std::size_t offset = address - region.begin;
        const Cell &whole = region.cells[offset / granule];
        if (!lacks_value(attempt.space, whole.write == split ? region.byte_cells[offset].write : whole.write))
            return true;
    }
    return false;
}

void judge_all(Attempt attempt, const Region &region)
{
    settle(); // stores before this one have happened
    attempt.has_value = needs_value(attempt.access) && has_value(attempt, region);
    std::uintptr_t address = attempt.begin;
    const std::uintptr_t end = attempt.begin + attempt.bytes;
    while (address < end) {
        judge(attempt, region, address);
        address = (address / granule + 1) * granule;
    }
}

void judge(const Attempt &attempt, const Region &region, std::uintptr_t address)
{
    const std::size_t offset = address - region.begin;
    Cell &cell = region.cells[offset / granule];
    const std::uintptr_t granule_begin = address - offset % granule;
    const std::uintptr_t end = std::min(granule_begin + granule, attempt.begin + attempt.bytes);
    const bool whole = address == granule_begin && end == granule_begin + granule;
    if (has_copy(cell.write))
        settle_copy(cell, needs_value(attempt.access) || !whole);
    const Tag write = last_write(cell);
    const bool is_outside = attempt.space == Space::device && write == unallocated && arena.contains(address);
    if (write != split && (whole || is_outside)) {
        judge_cell(attempt, cell, write, address);
        return;
    }
    if (write != split)
        split_cell(cell, region.byte_cells + offset / granule * granule);
    for (std::uintptr_t byte = address; byte < end; ++byte) {
        Cell &own = region.byte_cells[byte - region.begin];
        judge_cell(attempt, own, last_write(own), byte);
    }
}

void judge_other(const Attempt &attempt)
{
    settle();
    if (is_kernels_own(attempt.begin, attempt.access))
        return;
    const bool is_null = attempt.begin < 4096;
    if (!arena.contains(attempt.begin) && memory_is_unified() && !is_null)
        return judge_host_cells(attempt);
    if (!arena.contains(attempt.begin))
        found_outside(attempt, attempt.begin, is_null ? "null" : "host");
    if (!emulation::may_use(running.device, reinterpret_cast<const void *>(attempt.begin)))
        found_outside(attempt, attempt.begin, "device");
    judge_all(attempt, arena);
}

void settle()
{
    if (__builtin_expect(!running.unsettled, 1))
        return;
    running.unsettled = false;
    for (Pending &later : pending) {
        if (std::memcmp(later.before, reinterpret_cast<const void *>(later.address), later.bytes) == 0)
            later.finding.note = "equal";
        report(std::move(later.finding));
    }
    pending.clear();
}

} // namespace accrs::checks
