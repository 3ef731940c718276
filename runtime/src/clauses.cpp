// SPDX-License-Identifier: 0BSD
//
// accrs.h: data clauses of structured regions, enter data and exit data. Each function locks the
// device for its whole work, copies included: two host threads that enter the same data must not
// see it present before it has arrived.
#include "allocations.hpp"
#include "clause.hpp"
#include "profile.hpp"

#include "../include/accrs.h"

namespace accrs {

namespace {

// While it lasts, what is done is what no clause of the program asks for.
class ImplicitScope {
public:
    ImplicitScope() : before_(std::exchange(current().implicit, true)) {}
    ~ImplicitScope() { current().implicit = before_; }
    ImplicitScope(const ImplicitScope &) = delete;
    ImplicitScope &operator=(const ImplicitScope &) = delete;

private:
    bool before_;
};

void add_clause(const Device &target, const Section &s, Entry *entry, Action at_end, bool always = false)
{
    const std::uintptr_t unless_present = target.shares_memory ? s.base : 0;
    const std::uintptr_t device_base = entry == nullptr ? unless_present : entry->device + (s.base - entry->start);
    Region &region = innermost("a data clause");
    if (!region.stage)
        region.device = current().device;
    region.clauses.push_back(
        {s.name, s.base, s.start, s.length, static_cast<std::intptr_t>(device_base), entry == nullptr ? Action::none : at_end,
         entry, always, current().implicit});
}

// Regions that run on the host's memory: each section, or all that is known around it, has a copy
// of its own until the region ends, with copies of what its attached pointers point to.

void attach_in_region(Device &target, const char *name, std::uintptr_t pointer);

void stage(Device &target, const Section &s, bool written)
{
    const Section known = target.origin->extent_of(s);
    const bool is_new = target.table.find(known.start, known.length).presence != Presence::present;
    Entry *entry = target.enter(known, {true, false, false}, Count::structured);
    add_clause(target, s.length == 0 ? known : s, entry, written ? Action::copy_out : Action::release, true);
    if (!is_new)
        return;
    for (const auto &[pointer, attachment] : target.origin->attachments_of(known)) {
        stage(target, {s.name, attachment.host_value, attachment.host_value, 0}, written);
        attach_in_region(target, s.name, pointer);
    }
}

void stage_clause(const DataClause &clause, Device &target, bool written)
{
    if (clause.announced.written != Written::as_the_clause_says)
        written = clause.announced.written == Written::yes;
    const auto on_section = [&](const Section &s) { stage(target, s, written); };
    clause.walk(Direction::entering, on_section, [&](const Section &s) { stage(target, s, false); },
                [&](std::uintptr_t pointer) { attach_in_region(target, clause.name, pointer); });
    clause.remember_rows();
}

// Attached until the region ends.
void attach_in_region(Device &target, const char *name, std::uintptr_t pointer)
{
    target.attach(name, pointer);
    innermost("attach").clauses.push_back({name, 0, pointer, sizeof(void *), 0, Action::detach});
}

void enter_region(const char *name, const volatile void *base, accrs_offset offset, accrs_size length, bool copy,
                  Action at_end)
{
    const DataClause clause(name, base, offset, length);
    Device &target = device();
    const Lock lock(target.mutex);
    if (target.origin != nullptr)
        return stage_clause(clause, target, !copy || at_end == Action::copy_out);
    const Announced &asked = clause.announced;
    const EventScope event(acc_ev_enter_data_start);
    clause.walk(
        Direction::entering,
        [&](const Section &s) {
            Entry *entry = target.enter(s, {copy, asked.zero, asked.always_in}, Count::structured);
            add_clause(target, s, entry, at_end, asked.always_out);
        },
        [&](const Section &s) { add_clause(target, s, target.enter(s, {}, Count::structured), Action::release); },
        [&](std::uintptr_t pointer) { attach_in_region(target, name, pointer); });
    clause.remember_rows();
}

void enter_data(const char *name, const volatile void *base, accrs_offset offset, accrs_size length, bool copy)
{
    const DataClause clause(name, base, offset, length);
    Device &target = device();
    const Lock lock(target.mutex);
    const Announced &asked = clause.announced;
    const EventScope event(acc_ev_enter_data_start);
    clause.walk(
        Direction::entering,
        [&](const Section &s) { target.enter(s, {copy, asked.zero, asked.always_in}, Count::dynamic); },
        [&](const Section &s) { target.enter(s, {}, Count::dynamic); },
        [&](std::uintptr_t pointer) { target.attach(name, pointer); });
}

void exit_data(const char *name, const volatile void *base, accrs_offset offset, accrs_size length, bool copy)
{
    const DataClause clause(name, base, offset, length);
    Device &target = device();
    const Lock lock(target.mutex);
    const bool finalize = current().finalize;
    const bool always = clause.announced.always_out;
    const EventScope event(acc_ev_exit_data_start);
    clause.walk(
        Direction::leaving,
        [&](const Section &s) { target.leave(s, {copy, finalize, always}, Count::dynamic); },
        [&](const Section &s) { target.leave(s, {false, finalize, false}, Count::dynamic); },
        [&](std::uintptr_t pointer) { target.detach(name, pointer, finalize); });
}

[[noreturn]] void fail_absent(const char *name)
{
    fail(acc_error_not_present, "put the region into a data region that has it, or name it in a copy clause",
         "'%s' is not present on the device", name);
}

// Holds what must be present until the region ends.
void hold(Device &target, const Section &s)
{
    Entry *entry = s.length == 0 ? target.find_pointer(s.start, s.name) : target.find_whole(s);
    if (entry == nullptr && s.length != 0 && !target.shares_memory)
        fail_absent(s.name);
    if (entry != nullptr)
        ++entry->structured;
    add_clause(target, s, entry, Action::release);
}

// `present`: all of a clause's sections.
void hold_all(const DataClause &clause, Device &target)
{
    if (target.origin != nullptr)
        return stage_clause(clause, target, true);
    const auto on_section = [&](const Section &s) { hold(target, s); };
    clause.walk(Direction::entering, on_section, on_section,
                [&](std::uintptr_t pointer) { attach_in_region(target, clause.name, pointer); });
    clause.remember_rows();
}

// Whether a data clause around, or enter data, named a section of no bytes: who has no data has nothing
// that could be absent.
bool holds_empty(const Device &target, std::uintptr_t address)
{
    for (const Region &region : current().regions)
        for (const Clause &clause : region.clauses)
            if (clause.base == address && clause.length == 0 && clause.entry == nullptr)
                return true;
    return target.holds_empty(address);
}

bool hold_if_present(Device &target, const Section &s)
{
    Entry *entry = target.find_whole(s);
    if (entry == nullptr) {
        // The body sees the host's address, as the standard has it.
        innermost("no_create").clauses.push_back(
            {s.name, s.base, s.start, s.length, static_cast<std::intptr_t>(s.base), Action::none});
        return false;
    }
    ++entry->structured;
    add_clause(target, s, entry, Action::release);
    return true;
}

// The device gets the host's address.
void use_as_it_is(const char *name, const volatile void *pointer)
{
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    innermost("a data clause").clauses.push_back(
        {name, address, address, 0, static_cast<std::intptr_t>(address), Action::none});
}

void implicit_section(const char *name, const volatile void *base, accrs_offset offset, accrs_size length, Action at_end)
{
    const ImplicitScope implicit;
    Device &target = device();
    const Lock lock(target.mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    if (target.is_host)
        return;
    if (target.origin != nullptr && target.origin->knows(address))
        return stage_clause(DataClause(name, base, 0, 0), target, at_end == Action::copy_out);
    if (target.table.find_pointer(address) != nullptr || is_device_address(base))
        accrs_implicit(name, base);
    else if (static_cast<std::ptrdiff_t>(length) > 0)
        enter_region(name, base, offset, length, true, at_end);
    else
        use_as_it_is(name, base); // no loop runs that would follow it
}

// A constant of the program, which never changes: its copy stays on the device. All queues may use it
// at once.
void hold_constant(Device &target, const Section &s)
{
    const ImplicitScope implicit;
    if (!target.shares_memory && target.find_whole(s) == nullptr) {
        const int queue = std::exchange(current().queue, sync_queue);
        target.enter(s, {true, false, false}, Count::dynamic);
        current().queue = queue;
    }
    add_clause(target, s, target.enter(s, {}, Count::structured), Action::release);
}

} // namespace

} // namespace accrs

using namespace accrs;

extern "C" {

accrs_size accrs_bytes(accrs_offset count, accrs_size size)
{
    if (count < 0 || static_cast<std::ptrdiff_t>(size) < 0)
        return static_cast<accrs_size>(-1); // a negative length
    accrs_size bytes = 0;
    return __builtin_mul_overflow(static_cast<accrs_size>(count), size, &bytes) || bytes > too_many_bytes ? too_many_bytes : bytes;
}

void accrs_copy(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    enter_region(name, base, offset, length, true, Action::copy_out);
}

void accrs_copyin(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    enter_region(name, base, offset, length, true, Action::release);
}

void accrs_constant(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    const DataClause clause(name, base, offset, length);
    Device &target = device();
    const Lock lock(target.mutex);
    if (target.origin != nullptr)
        return stage_clause(clause, target, false);
    const EventScope event(acc_ev_enter_data_start);
    const auto on_section = [&](const Section &s) { hold_constant(target, s); };
    clause.walk(Direction::entering, on_section, on_section, [](std::uintptr_t) {});
}

void accrs_copyout(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    enter_region(name, base, offset, length, false, Action::copy_out);
}

void accrs_create(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    enter_region(name, base, offset, length, false, Action::release);
}

void accrs_present(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    const DataClause clause(name, base, offset, length);
    Device &target = device();
    const Lock lock(target.mutex);
    hold_all(clause, target);
}

void accrs_present_pointer(const char *name, const volatile void *base)
{
    Device &target = device();
    const Lock lock(target.mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    if (target.origin == nullptr && base != nullptr && !target.shares_memory && !is_device_address(base) &&
        target.table.find_pointer(address) == nullptr && !holds_empty(target, address))
        fail_absent(name);
    hold_all(DataClause(name, base, 0, 0), target);
}

void accrs_no_create(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    const DataClause clause(name, base, offset, length);
    Device &target = device();
    const Lock lock(target.mutex);
    if (target.origin != nullptr)
        return stage_clause(clause, target, true);
    bool whole = true;
    const auto on_section = [&](const Section &s) { whole = hold_if_present(target, s) && whole; };
    clause.walk(Direction::entering, on_section, on_section,
                [&](std::uintptr_t pointer) { attach_in_region(target, name, pointer); });
    if (whole)
        clause.remember_rows();
}

void accrs_deviceptr(const char *name, const volatile void *pointer)
{
    const DataClause clause(name, pointer, 0, 0);
    Device &target = device();
    const bool is_regions_own = target.origin != nullptr;
    // acc_malloc gave memory of the host, where that was the device: the emulation can use it. GPUs
    // tell by themselves what they cannot reach: some can reach the host's memory.
    const bool must_be_device = !target.shares_memory && is_regions_own != ACCRS_EMULATED;
    if (must_be_device && pointer != nullptr && !is_device_address(pointer))
        fail(acc_error_invalid_argument, "name it in a copy clause instead of deviceptr",
             is_regions_own ? "'%s' is memory of the host, and the kernels of this construct run on the GPU"
                            : "'%s' is memory of the host",
             name);
    use_as_it_is(name, pointer);
}

void accrs_attach(const char *name, const volatile void *pointer_address)
{
    Device &target = device();
    const Lock lock(target.mutex);
    attach_in_region(target, name, reinterpret_cast<std::uintptr_t>(pointer_address));
}

void accrs_implicit(const char *name, const volatile void *base)
{
    const DataClause clause(name, base, 0, 0);
    if (base == nullptr)
        return;
    Device &target = device();
    const Lock lock(target.mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    if (target.is_host)
        return;
    if (target.origin != nullptr && target.origin->knows(address))
        return stage_clause(clause, target, true);
    Entry *entry = target.find_pointer(address, name);
    if (entry != nullptr) {
        ++entry->structured;
        const Section whole{name, entry->base, entry->start, entry->length};
        add_clause(target, whole, entry, Action::release);
        return;
    }
    // Of a section without elements nothing is there, and no loop runs that would follow it.
    if (target.shares_memory || is_device_address(base) || holds_empty(target, address)) {
        use_as_it_is(name, base);
        return;
    }
    const char *help = "name it with its bounds in a data clause, as in copy(a[0:n]), here or around";
    if (const char *why = clause.announced.extent_unknown)
        fail(acc_error_not_present, help, "'%s' is not present on the device, and how much to copy is not known: %s", name,
             why);
    fail(acc_error_not_present, help,
         "'%s' is not present on the device, and a pointer alone does not say how much to copy", name);
}

void accrs_implicit_copy(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    implicit_section(name, base, offset, length, Action::copy_out);
}

void accrs_implicit_copyin(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    implicit_section(name, base, offset, length, Action::release);
}

void accrs_enter_copyin(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    enter_data(name, base, offset, length, true);
}

void accrs_enter_create(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    enter_data(name, base, offset, length, false);
}

void accrs_enter_attach(const char *name, const volatile void *pointer_address)
{
    Device &target = device();
    const Lock lock(target.mutex);
    target.attach(name, reinterpret_cast<std::uintptr_t>(pointer_address));
}

void accrs_exit_copyout(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    exit_data(name, base, offset, length, true);
}

void accrs_exit_delete(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    exit_data(name, base, offset, length, false);
}

void accrs_exit_detach(const char *name, const volatile void *pointer_address)
{
    Device &target = device();
    const Lock lock(target.mutex);
    target.detach(name, reinterpret_cast<std::uintptr_t>(pointer_address), current().finalize);
}

void *accrs_use_device(const char *name, const volatile void *base)
{
    if (base == nullptr)
        return nullptr;
    Device &target = device();
    const Lock lock(target.mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    Entry *entry = target.is_host ? nullptr : target.find_pointer(address, name);
    if (entry != nullptr) {
        entry->exposed = true;
        return reinterpret_cast<void *>(entry->device_of(address));
    }
    if (!target.shares_memory && !current().if_present && !is_device_address(base))
        fail(acc_error_not_present, "put host_data into a data region that has it, or add if_present",
             "'%s' is not present on the device", name);
    return const_cast<void *>(base);
}

} // extern "C"
