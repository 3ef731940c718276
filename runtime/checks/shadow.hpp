// SPDX-License-Identifier: 0BSD
//
// What is known about each piece of memory that kernels share.
//
// A cell stands for four bytes: the last write and the last read, each as a tag (when, by which
// thread) and the place in the code. Four bytes of which a part was accessed are split: each byte
// then has a cell of its own. Cells of device memory lie at a fixed distance from it; shared
// memory has cells for each processor.
//
// Time is a count that each processor keeps for itself; it goes on at each block and barrier. A
// launch begins at a time above all earlier ones of every processor, so that a comparison tells
// whether a tag is of this launch, of this block (and processor), or since its last barrier.
#ifndef ACCRS_CHECKS_SHADOW_HPP
#define ACCRS_CHECKS_SHADOW_HPP

#include "../watch/text.hpp"

#include <cstddef>
#include <cstdint>

// A variable of the checks that every access reads: reached without a table of addresses.
#define ACCRS_NEAR __attribute__((visibility("hidden")))

namespace accrs::checks {

// Time in the upper 40 bits, then 8 for the processor, 10 for the thread, 6 for flags.
using Tag = std::uint64_t;

constexpr unsigned time_shift = 24, processor_shift = 16, thread_shift = 6;
constexpr Tag most_processors = 255; // the last one is `of_copy`

// Several threads since the barrier; they are of several workers; of several warps.
constexpr Tag many = 1, many_workers = 2, many_warps = 4;
constexpr Tag foreign = 8; // several blocks of the launch
constexpr Tag atomic = 16;
constexpr Tag shown = 32; // of a write: the host's copy has it, too

// The processor of copies.
constexpr Tag of_copy = 255;

// Device memory that no kernel has written; `stale`: that the host's copy is newer than. Shared memory
// never has these.
constexpr Tag unallocated = 0, uninitialised = 1, stale = 2, given = 3;
// The place of the last read of a cell that is `stale` since a copy of a value that is older than one
// which the device had.
constexpr std::uint32_t dropped_marker = 1;
constexpr Tag split = ~Tag(0);

constexpr unsigned thread_of(Tag tag) { return static_cast<unsigned>(tag >> thread_shift & 1023); }
constexpr unsigned processor_of(Tag tag) { return static_cast<unsigned>(tag >> processor_shift & 255); }
constexpr std::uint64_t time_of(Tag tag) { return tag >> time_shift; }

// Other processors read and write cells of device memory at the same time; what is lost by that
// is a report at most: a cell is split under a lock, for a write that is lost would be reported
// as memory that nothing has written.
struct Cell {
    Tag write;
    Tag read;
    std::uint32_t write_site; // bytes from the start of the program's image
    std::uint32_t read_site;
};

constexpr std::size_t granule = 4;

// A range of memory with its cells.
struct Region {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    Cell *cells = nullptr;      // one for each granule
    Cell *byte_cells = nullptr; // one for each byte, used where a granule is split

    bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

// The memory of all devices; one for all processors.
extern ACCRS_NEAR Region arena;
// That of each.
extern std::size_t device_bytes;

// Reserves cells that take no memory until they are touched.
bool reserve_cells(Region &region);
// Gives a range of device memory a state. Ends within a granule split it.
void set_cells(std::uintptr_t begin, std::size_t bytes, const Cell &state);
// Gives each byte of a granule a cell of its own. Once: two processors may come to it at the same time,
// and what one has recorded in the bytes' cells must not be taken back by the other.
void split_cell(Cell &cell, Cell *bytes);

enum class Space { device, shared };
enum class Access { read, write, atomic, atomic_read, atomic_write };

// The thread of a kernel that this OS thread runs now.
struct Running {
    Tag now;          // its tag; 0 outside kernels
    Tag processor;    // that part of every tag
    Tag order_floor;  // tags from here on may be of what runs at the same time,
    Tag launch_floor; // of this launch,
    Tag block_floor;  // of this block if of this processor,
    Tag phase_floor;  // since the block's last barrier
    std::uintptr_t device_begin; // the memory of the launch's device
    std::size_t device_bytes;
    Region shared;    // __shared__ variables
    Region dynamic;   // dynamic shared memory
    std::uintptr_t stack;
    std::size_t stack_bytes;
    unsigned worker_shift; // thread >> this is its worker; 32: the division is needed
    bool partly_met;       // a worker or warp has met, or a thread has passed a fence, since the block's last barrier
    bool unsettled;        // a store has raced, and its value is not known yet
    bool fetching;         // the thread fills a window
    bool tells_stores;     // what it stores is asked for
    int device;            // of the launch

    bool may_reach(std::uintptr_t address) const { return address - device_begin < device_bytes; }
};

extern ACCRS_NEAR __thread Running running __attribute__((tls_model("initial-exec")));

constexpr bool needs_value(Access access)
{
    return access != Access::write && access != Access::atomic_write;
}

constexpr bool is_atomic(Access access)
{
    return access != Access::read && access != Access::write;
}

// One access of a kernel.
struct Attempt {
    Access access;
    Space space;
    std::uintptr_t begin;
    std::size_t bytes;
    const void *pc;
    // Some of the bytes have been written: the others may be padding of a structure.
    bool has_value = false;
};

// Judges all of an access, cell by cell.
void judge_all(Attempt attempt, const Region &region);
// Judges the part of an access that the cell stands for, and records it there.
void judge(const Attempt &attempt, const Region &region, std::uintptr_t address);
// Whether any of the bytes that are read has been written.
bool has_value(const Attempt &attempt, const Region &region);
// Whether a tag is of the running block.
bool same_block(Tag tag);
// Whether an earlier access is not known to have ended before what the running thread does now.
bool concurrent(Tag earlier, Space space);
// An access to memory that is neither shared nor device memory.
void judge_other(const Attempt &attempt);
// Since when the threads of a worker or warp are known to have met; 0: not in this phase.
Tag worker_floor(unsigned worker);
Tag warp_floor(unsigned warp);
// The running thread passes a fence: gives the time from which on its accesses are after that.
Tag thread_fences(unsigned thread);
// The worker of a thread of the running block.
unsigned worker_of(unsigned thread);
// Whether a kernel may access what is neither shared nor device memory at all.
bool is_kernels_own(std::uintptr_t address, Access access);
// Settles races of stores whose values are known by now.
void settle();

using watch::site_of;

} // namespace accrs::checks

#endif
