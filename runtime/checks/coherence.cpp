// SPDX-License-Identifier: 0BSD
//
// What data directives and copies do to the host's memory and its copies, and which accesses of the
// host and of kernels then read an old value, or none.
//
// Where both have one value nothing is wrong: a flag that is set anew, zero that becomes zero.
//
// Values that are lost are remembered beyond the end of a data lifetime: pieces of the host's memory
// whose newer value went with the device memory, and pieces that got nonsense from the device. They
// are forgotten when the host writes them. What no watched code writes (a library) is seen by the
// value: it is not the one that was there.
#include "coherence.hpp"

#include "doubts.hpp"
#include "host_memory.hpp"
#include "report.hpp"
#include "updates.hpp"

#include "../emulation/watch.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace accrs::checks {

HostSpan host_span;
bool doubts_on_stack;

namespace {

struct Present {
    std::uintptr_t start;
    std::size_t bytes;
    std::uintptr_t device;
    const char *name;
    bool is_declared; // its copy at the first use may come later than the standard has it

    bool contains(std::uintptr_t address) const { return address - start < bytes; }
};

// The host's side of a copy in a queue, until the host has waited for it.
struct HostCopy {
    std::uintptr_t begin;
    std::size_t bytes;
    bool to_host;
    Operation operation;

    bool overlaps(std::uintptr_t address, std::size_t length) const
    {
        return bytes != 0 && address < begin + bytes && begin < address + length;
    }
};

using Table = std::map<std::uintptr_t, Present>;

struct Coherence {
    std::mutex mutex;
    std::vector<Table> of_device; // by the host's address
    std::map<std::uintptr_t, std::uintptr_t> by_device; // the device's address to the host's
    std::vector<HostCopy> copies;
    Doubts doubts;
};

Coherence &coherence()
{
    static auto *const instance = new Coherence; // outlives all static objects
    return *instance;
}

std::size_t device_of(std::uintptr_t address)
{
    return (address - arena.begin) / device_bytes;
}

Present *find(Table &table, std::uintptr_t address)
{
    auto after = table.upper_bound(address);
    if (after == table.begin())
        return nullptr;
    Present &found = std::prev(after)->second;
    return found.contains(address) ? &found : nullptr;
}

// The section whose copy has that address of a device.
Present *find_device(Coherence &c, std::uintptr_t address)
{
    auto after = c.by_device.upper_bound(address);
    if (after == c.by_device.begin())
        return nullptr;
    const std::uintptr_t device = std::prev(after)->first;
    Present *found = find(c.of_device[device_of(device)], std::prev(after)->second);
    return found != nullptr && found->device == device && address - device < found->bytes ? found : nullptr;
}

void update_span(const Coherence &c)
{
    std::uintptr_t begin = ~std::uintptr_t(0), end = 0;
    const auto include = [&](std::uintptr_t from, std::size_t bytes) {
        begin = std::min(begin, from);
        end = std::max(end, from + bytes);
    };
    for (const Table &table : c.of_device) {
        if (table.empty())
            continue;
        include(table.begin()->second.start, table.begin()->second.bytes);
        include(table.rbegin()->second.start, table.rbegin()->second.bytes);
    }
    for (const HostCopy &copy : c.copies)
        include(copy.begin, copy.bytes);
    c.doubts.for_each_range(include);
    host_span = end == 0 ? HostSpan{} : HostSpan{begin, end - begin};
    doubts_on_stack = c.doubts.any_on_stack();
}

// Calls `act(cell, address, bytes)` for the cells of a range of device memory. `parts`: what is a
// part of four bytes gets cells of its own first.
template <class Act> void for_each_cell(std::uintptr_t begin, std::size_t bytes, bool parts, const Act &act)
{
    std::uintptr_t address = begin;
    const std::uintptr_t end = begin + bytes;
    while (address < end) {
        const std::size_t offset = address - arena.begin;
        Cell &cell = arena.cells[offset / granule];
        const std::uintptr_t next = std::min((address / granule + 1) * granule, end);
        const bool is_whole = next - address == granule;
        if (parts && !is_whole && cell.write != split)
            split_cell(cell, arena.byte_cells + offset / granule * granule);
        if (cell.write != split)
            act(cell, address, next - address);
        else
            for (std::uintptr_t byte = address; byte < next; ++byte)
                act(arena.byte_cells[byte - arena.begin], byte, std::size_t(1));
        address = next;
    }
}

// Whether host and device have the same value, so that it does not matter which is newer.
bool are_equal(const Present &section, std::uintptr_t device, std::size_t bytes)
{
    const std::uintptr_t host = section.start + (device - section.device);
    return std::memcmp(reinterpret_cast<const void *>(host), reinterpret_cast<const void *>(device), bytes) == 0;
}

bool device_is_newer(const Cell &cell)
{
    return cell.write > given && cell.write != split && (cell.write & shown) == 0;
}

Finding host_finding(const char *kind, const char *access, const char *name, const void *pc)
{
    Finding finding;
    finding.kind = kind;
    finding.space = "host";
    finding.access = access;
    finding.object.name = name;
    if (pc != nullptr) {
        finding.site = site_of(pc);
        return finding;
    }
    const Directive directive = directive_here();
    finding.file = directive.file == nullptr ? "" : directive.file;
    finding.line = directive.line;
    return finding;
}

void set_object(Finding &finding, const Present &section, std::uintptr_t host_address, std::size_t size)
{
    finding.object = {section.name, section.bytes, static_cast<std::ptrdiff_t>(host_address - section.start), false};
    finding.size = size;
}

void set_other(Finding &finding, const Operation &other)
{
    finding.other_file = other.directive.file == nullptr ? "" : other.directive.file;
    finding.other_line = other.directive.line;
    finding.text = other.directive.queue;
}

void report_doubt(const Doubt &doubt, const char *access, std::uintptr_t address, std::size_t bytes, const void *pc)
{
    Finding finding = host_finding(doubt.kind == Doubt::nonsense ? "novalue" : "dropped", access, doubt.name, pc);
    finding.object = {doubt.name, doubt.section_bytes, static_cast<std::ptrdiff_t>(address - doubt.section), false};
    finding.size = bytes;
    finding.other_site = doubt.site;
    finding.other_file = doubt.file == nullptr ? "" : doubt.file;
    finding.other_line = doubt.line;
    report(std::move(finding));
}

void judge_copies(Coherence &c, Access access, std::uintptr_t address, std::size_t bytes, const void *pc)
{
    const auto ended = std::remove_if(c.copies.begin(), c.copies.end(), [](const HostCopy &copy) { return is_over(copy.operation); });
    if (ended != c.copies.end()) {
        c.copies.erase(ended, c.copies.end());
        update_span(c);
    }
    for (const HostCopy &copy : c.copies) {
        if (!copy.overlaps(address, bytes) || (access == Access::read && !copy.to_host))
            continue;
        Finding finding = host_finding("hostqueue", word(access), "", pc);
        for (Table &table : c.of_device)
            if (const Present *section = find(table, address))
                set_object(finding, *section, address, bytes);
        finding.other_access = copy.to_host ? "write" : "read";
        set_other(finding, copy.operation);
        report(std::move(finding));
        return;
    }
}

void host_reads(const Present &section, std::uintptr_t address, std::size_t bytes, const void *pc)
{
    bool is_reported = false;
    for_each_cell(section.device + (address - section.start), bytes, false, [&](Cell &cell, std::uintptr_t at, std::size_t length) {
        if (!device_is_newer(cell))
            return;
        const bool is_same = are_equal(section, at, length);
        cell.write |= shown; // said once
        if (is_reported || is_same)
            return;
        is_reported = true;
        Finding finding = host_finding("hostbehind", "read", section.name, pc);
        set_object(finding, section, address, bytes);
        finding.other_site = cell.write_site;
        report(std::move(finding));
    });
}

// The copies of a piece of the host's memory that changes are older from now on.
void host_writes(const Present &section, std::uintptr_t address, std::size_t bytes, std::uint32_t site)
{
    for_each_cell(section.device + (address - section.start), bytes, true, [&](Cell &cell, std::uintptr_t, std::size_t) {
        if (cell.write == uninitialised || cell.write == unallocated)
            return;
        cell.write = stale;
        cell.write_site = site;
        cell.read_site = 0;
    });
}

template <class Act> void for_each_part(Coherence &c, std::uintptr_t address, std::size_t bytes, const Act &act)
{
    for (Table &table : c.of_device) {
        auto it = table.upper_bound(address);
        if (it != table.begin())
            --it;
        for (; it != table.end() && it->first < address + bytes; ++it) {
            Present &section = it->second;
            const std::uintptr_t from = std::max(address, section.start);
            const std::uintptr_t to = std::min(address + bytes, section.start + section.bytes);
            if (from < to)
                act(section, from, to - from);
        }
    }
}

} // namespace

__thread bool launcher_runs = false;

void judge_host(Access access, std::uintptr_t address, std::size_t bytes, const void *pc)
{
    if (launcher_runs && access == Access::read)
        return;
    Coherence &c = coherence();
    const std::lock_guard<std::mutex> lock(c.mutex);
    if (!c.copies.empty())
        judge_copies(c, access, address, bytes, pc);
    const bool reads = access == Access::read;
    for_each_part(c, address, bytes, [&](const Present &section, std::uintptr_t from, std::size_t length) {
        if (reads)
            host_reads(section, from, length, pc);
        else
            host_writes(section, from, length, site_of(pc));
    });
    if (c.doubts.empty())
        return;
    c.doubts.take(address, bytes, [&](const Doubt &doubt, std::uintptr_t at) {
        if (reads)
            report_doubt(doubt, word(access), at, bytes, pc);
    });
}

void host_forgets(std::uintptr_t begin, std::size_t bytes)
{
    Coherence &c = coherence();
    const std::lock_guard<std::mutex> lock(c.mutex);
    if (c.doubts.empty())
        return;
    c.doubts.take(begin, bytes, [](const Doubt &, std::uintptr_t) {});
    update_span(c);
}

void host_frame_ends(std::uintptr_t frame)
{
    Coherence &c = coherence();
    const std::lock_guard<std::mutex> lock(c.mutex);
    c.doubts.forget_stack_below(frame);
    update_span(c);
}

void judge_stale(const Attempt &attempt, const Cell &cell, std::uintptr_t address)
{
    if (cell.read_site != dropped_marker) {
        Coherence &c = coherence();
        const std::lock_guard<std::mutex> lock(c.mutex);
        const Present *section = find_device(c, address);
        const std::size_t bytes = std::min<std::size_t>(granule - address % granule, attempt.begin + attempt.bytes - address);
        if (section != nullptr && are_equal(*section, address, bytes))
            return;
    }
    Finding finding = finding_here(cell.read_site == dropped_marker ? "dropped" : "devicebehind", attempt.pc);
    finding.space = "device";
    finding.access = word(attempt.access);
    finding.object = watch::device_object(address);
    finding.size = attempt.bytes;
    finding.other_site = cell.write_site;
    report(std::move(finding));
}

namespace {

void found_overlap(const Operation &other, const char *access, const char *other_access, std::uint32_t other_site,
                   std::uintptr_t address)
{
    Finding finding = host_finding("queues", access, "", nullptr);
    finding.object = watch::device_object(address);
    finding.other_access = other_access;
    finding.other_site = other_site;
    set_other(finding, other);
    report(std::move(finding));
}

// A copy, or a release, accesses device memory that operations in other queues may still use.
void judge_overlap(const Begun &begun, std::uintptr_t begin, std::size_t bytes, bool writes, const char *access)
{
    if (begun.others.empty())
        return;
    bool is_reported = false;
    for_each_cell(begin, bytes, false, [&](Cell &cell, std::uintptr_t address, std::size_t) {
        if (is_reported)
            return;
        const Operation *other = cell.write == split ? nullptr : begun.overlapped(cell.write);
        const bool is_write = other != nullptr;
        if (other == nullptr && writes)
            other = begun.overlapped(cell.read);
        if (other == nullptr)
            return;
        is_reported = true;
        found_overlap(*other, access, is_write ? "write" : "read", is_write ? cell.write_site : cell.read_site, address);
    });
}

// Where two copies bring the same bytes to the host it does not matter which is the later one: the
// earlier one is forgotten there.
void forget_part(std::vector<HostCopy> &copies, std::size_t number, std::uintptr_t begin, std::uintptr_t end)
{
    const HostCopy whole = copies[number];
    const std::uintptr_t stop = whole.begin + whole.bytes;
    copies[number].bytes = whole.begin < begin ? begin - whole.begin : 0;
    if (end < stop) {
        copies.push_back(whole);
        copies.back().begin = end;
        copies.back().bytes = stop - end;
    }
}

void judge_host_side(Coherence &c, const Begun &begun, std::uintptr_t host, std::uintptr_t device, std::size_t bytes, bool to_host)
{
    for (std::size_t number = 0, count = c.copies.size(); number < count; ++number) {
        const HostCopy copy = c.copies[number];
        if (!copy.overlaps(host, bytes) || (!to_host && !copy.to_host))
            continue;
        const bool is_under_way = std::any_of(begun.others.begin(), begun.others.end(), [&](const Operation &other) {
            return other.stream == copy.operation.stream && other.number == copy.operation.number;
        });
        if (!is_under_way)
            continue;
        const std::uintptr_t from = std::max(host, copy.begin), to = std::min(host + bytes, copy.begin + copy.bytes);
        const auto *const here = reinterpret_cast<const void *>(from);
        if (to_host && copy.to_host && std::memcmp(here, reinterpret_cast<const void *>(device + (from - host)), to - from) == 0) {
            forget_part(c.copies, number, from, to);
            continue;
        }
        Finding finding = host_finding("queues", to_host ? "write" : "read", "", nullptr);
        finding.other_access = copy.to_host ? "write" : "read";
        set_other(finding, copy.operation);
        report(std::move(finding));
        return;
    }
}

// An update that copies what the other side has, and no watched code has made newer.
void judge_update(Coherence &c, std::uintptr_t host, std::uintptr_t device, std::size_t bytes, bool to_host)
{
    const Present *section = find_device(c, device);
    if (section == nullptr || section->is_declared || !directive_is("update"))
        return;
    // A copy that a queue still makes may bring the value, and the host does not wait for it here.
    bool is_newer = std::any_of(c.copies.begin(), c.copies.end(), [&](const HostCopy &copy) {
        return copy.overlaps(host, bytes) && !is_over(copy.operation);
    });
    for_each_cell(device, bytes, false, [&](Cell &cell, std::uintptr_t, std::size_t) {
        is_newer = is_newer || cell.write == uninitialised || (to_host ? device_is_newer(cell) : cell.write == stale);
    });
    const bool is_same = std::memcmp(reinterpret_cast<const void *>(host), reinterpret_cast<const void *>(device), bytes) == 0;
    note_update(section->name, to_host, is_same && !is_newer);
}

// An update that puts the host's value in the place of what kernels have made newer and nothing has read. A thread
// that reads and writes an element may have read it afterwards.
void judge_loss(Coherence &c, std::uintptr_t to, std::uintptr_t from, std::size_t bytes)
{
    const Present *section = find_device(c, to);
    if (section == nullptr || !directive_is("update") || section->start + (to - section->device) != from)
        return;
    bool is_lost = false, is_read = false;
    std::uint32_t site = 0;
    for_each_cell(to, bytes, false, [&](Cell &cell, std::uintptr_t at, std::size_t length) {
        if (!device_is_newer(cell) || are_equal(*section, at, length))
            return;
        is_read = is_read || time_of(cell.read) >= time_of(cell.write);
        site = is_lost ? site : cell.write_site;
        is_lost = true;
    });
    if (!is_lost || is_read)
        return;
    Finding finding = host_finding("lost", "copy", section->name, nullptr);
    finding.note = "lost";
    finding.other_site = site;
    report(std::move(finding));
}

// The device's memory as it is afterwards.
void upload(Coherence &c, const Begun &begun, std::uintptr_t to, std::uintptr_t from, std::size_t bytes)
{
    judge_overlap(begun, to, bytes, true, "copy");
    judge_loss(c, to, from, bytes);
    const Tag tag = begun.operation.begin | of_copy << processor_shift | shown;
    set_cells(to, bytes, {tag, 0, 0, 0});
    if (c.doubts.empty())
        return;
    c.doubts.visit(from, bytes, [&](const Doubt &doubt, std::uintptr_t at, std::size_t length) {
        const Cell old = {stale, 0, doubt.site, dropped_marker};
        set_cells(to + (at - from), length, doubt.kind == Doubt::nonsense ? Cell{uninitialised, 0, 0, 0} : old);
    });
}

struct Downloaded {
    std::size_t without_value = 0; // bytes
    bool overwrites = false;       // what the host has made newer
    std::uint32_t site = 0;        // where the host did
};

void download(Coherence &c, const Begun &begun, std::uintptr_t to, std::uintptr_t from, std::size_t bytes)
{
    judge_overlap(begun, from, bytes, false, "copy");
    Present *section = find_device(c, from);
    const bool is_own = section != nullptr && section->start + (from - section->device) == to;
    const char *name = section != nullptr ? section->name : "";
    const Directive directive = directive_here();
    Downloaded seen;
    for_each_cell(from, bytes, false, [&](Cell &cell, std::uintptr_t at, std::size_t length) {
        if (cell.write == uninitialised) {
            seen.without_value += length;
        } else if (cell.write == stale && is_own) {
            if (cell.read_site != dropped_marker && !are_equal(*section, at, length)) {
                seen.overwrites = true;
                seen.site = cell.write_site;
            }
            cell.write = given;
        } else if (is_own && device_is_newer(cell)) {
            cell.write |= shown;
        }
    });
    c.doubts.take(to, bytes, [](const Doubt &, std::uintptr_t) {});
    if (seen.overwrites) {
        Finding finding = host_finding("overwritten", "copy", name, nullptr);
        finding.other_site = seen.site;
        report(std::move(finding));
    }
    if (seen.without_value == bytes && is_own) {
        Finding finding = host_finding("novalue", "copy", name, nullptr);
        report(std::move(finding));
    } else if (seen.without_value != 0) {
        Doubt doubt{Doubt::nonsense, name, to, bytes, 0, directive.file, directive.line};
        if (is_own)
            doubt.section = section->start, doubt.section_bytes = section->bytes;
        for_each_cell(from, bytes, false, [&](Cell &cell, std::uintptr_t address, std::size_t length) {
            if (cell.write == uninitialised)
                c.doubts.add(to + (address - from), length, doubt, reinterpret_cast<const void *>(address));
        });
        update_span(c);
    }
    // Copies of the same memory elsewhere, and memory that came from another copy.
    for_each_part(c, to, bytes, [&](Present &other, std::uintptr_t at, std::size_t length) {
        if (&other == section && is_own)
            return;
        const char *was = reinterpret_cast<const char *>(at), *is = reinterpret_cast<const char *>(from + (at - to));
        for (std::size_t i = 0; i < length; ++i)
            if (was[i] != is[i])
                host_writes(other, at + i, 1, 0);
    });
}

} // namespace

} // namespace accrs::checks

namespace accrs::watch {

using namespace checks;

void present(const void *host, std::size_t bytes, const void *device, const char *name)
{
    const auto address = reinterpret_cast<std::uintptr_t>(device);
    const auto start = reinterpret_cast<std::uintptr_t>(host);
    if (!arena.contains(address))
        return;
    const std::size_t most = bytes_from(start);
    if (most != 0 && most < bytes) {
        Finding finding = host_finding("section", "copy", name, nullptr);
        finding.text = std::to_string(bytes) + " bytes of " + std::to_string(most);
        report(std::move(finding));
    }
    Coherence &c = coherence();
    const std::lock_guard<std::mutex> lock(c.mutex);
    const std::size_t number = device_of(address);
    if (c.of_device.size() <= number)
        c.of_device.resize(number + 1);
    c.of_device[number][start] = {start, bytes, address, name, directive_is("declare")};
    c.by_device[address] = start;
    update_span(c);
}

void absent(const void *device)
{
    const auto address = reinterpret_cast<std::uintptr_t>(device);
    Coherence &c = coherence();
    const std::lock_guard<std::mutex> lock(c.mutex);
    Present *section = find_device(c, address);
    if (section == nullptr)
        return;
    const Directive directive = directive_here();
    for_each_cell(section->device, section->bytes, false, [&](Cell &cell, std::uintptr_t at, std::size_t length) {
        if (!device_is_newer(cell) || are_equal(*section, at, length))
            return;
        const std::uintptr_t host = section->start + (at - section->device);
        c.doubts.add(host, length,
                     {Doubt::dropped, section->name, section->start, section->bytes, cell.write_site, directive.file, directive.line},
                     reinterpret_cast<const void *>(host));
    });
    c.by_device.erase(section->device);
    c.of_device[device_of(address)].erase(section->start);
    update_span(c);
}

void copying(void *to, const void *from, std::size_t bytes, const void *stream)
{
    const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
    const bool to_device = arena.contains(target), from_device = arena.contains(source);
    if (!to_device && !from_device)
        return;
    const Begun begun = operation_begins(stream);
    Coherence &c = coherence();
    const std::lock_guard<std::mutex> lock(c.mutex);
    if (to_device && from_device) {
        judge_overlap(begun, source, bytes, false, "copy");
        judge_overlap(begun, target, bytes, true, "copy");
        set_cells(target, bytes, {begun.operation.begin | of_copy << processor_shift, 0, 0, 0});
        return;
    }
    judge_update(c, to_device ? source : target, to_device ? target : source, bytes, from_device);
    judge_host_side(c, begun, to_device ? source : target, to_device ? target : source, bytes, from_device);
    if (to_device)
        upload(c, begun, target, source, bytes);
    else
        download(c, begun, target, source, bytes);
    if (stream != nullptr && begun.operation.directive.file != nullptr) {
        c.copies.push_back({to_device ? source : target, bytes, from_device, begun.operation});
        update_span(c);
    }
}

void copying_value(void *to, const void *from, std::size_t bytes, const void *stream)
{
    const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
    if (!arena.contains(target))
        return;
    judge_host(Access::read, source, bytes, nullptr);
    const Begun begun = operation_begins(stream);
    Coherence &c = coherence();
    const std::lock_guard<std::mutex> lock(c.mutex);
    upload(c, begun, target, source, bytes);
}

void clearing(void *begin, std::size_t bytes, const void *stream)
{
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    if (!arena.contains(address))
        return;
    const Begun begun = operation_begins(stream);
    judge_overlap(begun, address, bytes, true, "copy");
    set_cells(address, bytes, {begun.operation.begin | of_copy << processor_shift | shown, 0, 0, 0});
}

void freeing(void *begin, std::size_t bytes, const void *stream)
{
    judge_overlap(operation_begins(stream), reinterpret_cast<std::uintptr_t>(begin), bytes, true, "free");
}

} // namespace accrs::watch
