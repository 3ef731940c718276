// SPDX-License-Identifier: 0BSD
//
// Fetches of windows. A block fetches its whole window, with slots that none of its iterations
// asks for: those of iterations beyond the loop's bound, corners of halos. What another block
// writes there at the same time is not seen. So a copy by a fetch counts as a read of the array
// from when a thread reads the slot; until then the slot's cell says where its value is from.
#include "fetch.hpp"

#include "../emulation/watch.hpp"

#include <utility>
#include <vector>

namespace accrs::checks {

namespace {

// Tags of cells with such a copy: beyond all times, with the copy's number.
constexpr Tag copied = ~Tag(0) >> time_shift << time_shift;
constexpr std::size_t most_copies = (std::size_t(1) << time_shift) - 1; // the last one is `split`

struct Copied {
    const Cell *cell;       // of the slot
    Tag write;              // its tag without the copy
    Tag by;                 // the thread that fetched, and when
    Attempt read;           // of all of the element
    std::uintptr_t address; // in the array
};

struct Fetching {
    Tag order_floor = 0, phase_floor = 0; // as they are outside
    bool has_read = false, has_written = false;
    bool reads_host = false; // what is written next has its value from the host's memory
    Attempt read{}, write{};
    std::vector<Copied> copies; // of the running block
};

Fetching &fetching()
{
    static thread_local Fetching instance;
    return instance;
}

const Region &region_of(const Attempt &attempt)
{
    if (attempt.space == Space::device)
        return arena;
    return running.shared.contains(attempt.begin) ? running.shared : running.dynamic;
}

bool in_granules(const Attempt &attempt)
{
    return attempt.begin % granule == 0 && attempt.bytes % granule == 0;
}

void judge_read(Fetching &f)
{
    if (f.has_read)
        judge_all(f.read, arena);
    f.has_read = false;
}

// The slot that was written has the value that was read.
void link(Fetching &f)
{
    const Region &slots = region_of(f.write);
    const std::size_t first = (f.write.begin - slots.begin) / granule, count = f.read.bytes / granule;
    const std::size_t source = (f.read.begin - arena.begin) / granule;
    bool fits = in_granules(f.read) && in_granules(f.write) && f.copies.size() + count < most_copies;
    for (std::size_t i = 0; fits && i < count; ++i)
        fits = slots.cells[first + i].write != split && arena.cells[source + i].write != unallocated;
    if (!fits) {
        judge_read(f);
        return;
    }
    f.read.has_value = has_value(f.read, arena);
    for (std::size_t i = 0; i < count; ++i) {
        Cell &cell = slots.cells[first + i];
        f.copies.push_back({&cell, cell.write, running.now, f.read, f.read.begin + i * granule});
        cell.write = copied | (f.copies.size() - 1);
    }
    f.has_read = false;
}

// The read that the fetch made, now that it matters.
void judge_source(const Copied &copy)
{
    const Tag write = arena.cells[(copy.address - arena.begin) / granule].write;
    if (write != split && same_block(write) && time_of(write) > time_of(copy.by))
        return; // barriers were between
    Running &r = running;
    const Tag now = r.now, phase_floor = r.phase_floor;
    r.now = copy.by;
    r.phase_floor = time_of(copy.by) << time_shift;
    judge(copy.read, arena, copy.address);
    r.now = now;
    r.phase_floor = phase_floor;
}

} // namespace

bool has_copy(Tag write)
{
    return write >= copied && write != split;
}

void settle_copy(Cell &cell, bool is_read)
{
    const Fetching &f = fetching();
    const std::size_t number = cell.write - copied;
    if (number >= f.copies.size() || f.copies[number].cell != &cell) {
        cell.write = 0; // of a block that is over
        return;
    }
    const Copied copy = f.copies[number];
    cell.write = copy.write;
    if (is_read)
        judge_source(copy);
}

void judge_fetch(const Attempt &attempt, const Region &region)
{
    Fetching &f = fetching();
    Running &r = running;
    const Tag order_floor = r.order_floor, phase_floor = r.phase_floor;
    r.order_floor = f.order_floor;
    r.phase_floor = f.phase_floor;
    // A structure's copy may say first that it writes.
    if (attempt.space == Space::device && attempt.access == Access::read) {
        judge_read(f);
        f.read = attempt;
        f.has_read = true;
        if (f.has_written && f.write.bytes == attempt.bytes)
            link(f);
        f.has_written = false;
    } else {
        judge_all(attempt, region);
        f.write = attempt;
        const bool is_hosts = std::exchange(f.reads_host, false);
        f.has_written = attempt.space == Space::shared && attempt.access == Access::write && !is_hosts;
        if (f.has_written && f.has_read && f.read.bytes == attempt.bytes) {
            link(f);
            f.has_written = false;
        }
    }
    r.order_floor = order_floor;
    r.phase_floor = phase_floor;
}

void fetch_of_host()
{
    fetching().reads_host = true;
    fetching().has_written = false;
}

void forget_copies()
{
    fetching().copies.clear();
}

} // namespace accrs::checks

namespace accrs::watch {

using namespace checks;

// No floor lets an access pass unseen.
Fetch::Fetch()
{
    Fetching &f = fetching();
    f.order_floor = running.order_floor;
    f.phase_floor = running.phase_floor;
    f.has_read = f.has_written = f.reads_host = false;
    running.order_floor = given;
    running.phase_floor = 0;
    running.fetching = true;
}

Fetch::~Fetch()
{
    Fetching &f = fetching();
    running.order_floor = f.order_floor;
    running.phase_floor = f.phase_floor;
    running.fetching = false;
    judge_read(f);
}

} // namespace accrs::watch
