// SPDX-License-Identifier: 0BSD
//
// accrs.h: regions with their clauses, and standalone directives. Each function locks the device
// for its whole work, copies included: two host threads that enter the same data must not see it
// present before it has arrived.
#include "region.hpp"

#include "../include/accrs.h"
#include "device.hpp"

namespace accrs {

State &current()
{
    static thread_local State state;
    return state;
}

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

Section section(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    return {name, address, address + static_cast<std::uintptr_t>(offset), length};
}

Region &innermost(const char *clause)
{
    State &state = current();
    if (state.regions.empty())
        fail(nullptr, "%s outside any region", clause);
    return state.regions.back();
}

void add_clause(const Section &s, const Entry *entry, Action at_end)
{
    const std::uintptr_t device_base = entry == nullptr ? 0 : entry->device + (s.base - entry->start);
    innermost("a data clause").clauses.push_back(
        {s.name, s.base, s.start, s.length, static_cast<std::intptr_t>(device_base), at_end});
}

void enter_clause(const Section &s, bool copy, Action at_end)
{
    Device &target = device();
    const Lock lock(target.mutex);
    const Entry *entry = target.enter(s, copy, Count::structured);
    add_clause(s, entry, entry == nullptr ? Action::none : at_end);
}

void set_place(const char *file, int line, const char *directive)
{
    State &state = current();
    state.place = {file, line, directive};
    state.queue = sync_queue;
    state.if_present = state.finalize = state.at_region = false;
    state.dimensions.clear();
}

bool is_device_address(const volatile void *pointer)
{
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, const_cast<const void *>(pointer)) != cudaSuccess) {
        (void)cudaGetLastError(); // an address that CUDA does not know is an answer, not a fault
        return false;
    }
    return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

void undo(Device &target, const Clause &clause)
{
    const Section s{clause.name, clause.base, clause.start, clause.length};
    switch (clause.at_end) {
    case Action::none:
        break;
    case Action::copy_out:
        target.leave(s, true, Count::structured, false);
        break;
    case Action::release:
        target.leave(s, false, Count::structured, false);
        break;
    case Action::detach:
        target.detach(clause.name, clause.start, false);
        break;
    }
}

// Calls `apply` with offset and length of every contiguous piece of the section that the
// dimensions describe.
template <class Apply>
void for_each_piece(const std::vector<Dimension> &dimensions, std::size_t element, const Apply &apply)
{
    // From the innermost outwards, dimensions join the piece up to the first not taken whole.
    std::size_t outer = dimensions.size();
    std::size_t piece = element, stride = element;
    std::ptrdiff_t offset = 0;
    while (outer > 0) {
        const Dimension &d = dimensions[--outer];
        offset += d.lower * static_cast<std::ptrdiff_t>(stride);
        piece *= d.length;
        stride *= d.extent;
        if (d.length != d.extent)
            break;
    }
    // The dimensions left count through like an odometer.
    std::vector<std::size_t> index(outer, 0);
    for (;;) {
        std::ptrdiff_t at = offset;
        std::size_t row = stride;
        for (std::size_t d = outer; d-- > 0; row *= dimensions[d].extent)
            at += (dimensions[d].lower + static_cast<std::ptrdiff_t>(index[d])) * static_cast<std::ptrdiff_t>(row);
        apply(at, piece);
        std::size_t d = outer;
        while (d > 0 && ++index[d - 1] == dimensions[d - 1].length)
            index[--d] = 0;
        if (d == 0)
            return;
    }
}

void update_section(const char *name, const volatile void *base, accrs_size element, bool to_host)
{
    State &state = current();
    const std::vector<Dimension> dimensions = std::move(state.dimensions);
    state.dimensions.clear();
    for (const Dimension &d : dimensions)
        if (d.length == 0)
            return;
    Device &target = device();
    const Lock lock(target.mutex);
    for_each_piece(dimensions, element, [&](std::ptrdiff_t offset, std::size_t length) {
        target.update(section(name, base, offset, length), to_host, state.if_present);
    });
}

} // namespace

} // namespace accrs

using namespace accrs;

extern "C" {

void accrs_begin(const char *file, int line, const char *directive)
{
    set_place(file, line, directive);
    State &state = current();
    state.regions.push_back({state.place, sync_queue, {}});
    state.at_region = true;
}

void accrs_end(void)
{
    State &state = current();
    const Region region = std::move(innermost("accrs_end"));
    state.regions.pop_back();
    state.place = region.place;
    state.queue = region.queue;
    state.finalize = state.at_region = false;
    if (!region.clauses.empty()) {
        Device &target = device();
        const Lock lock(target.mutex);
        // Detaching first: the copy of a pointer must not outlive its target.
        for (auto clause = region.clauses.rbegin(); clause != region.clauses.rend(); ++clause)
            undo(target, *clause);
    }
}

void accrs_at(const char *file, int line, const char *directive)
{
    set_place(file, line, directive);
}

void accrs_async(int queue)
{
    State &state = current();
    state.queue = queue;
    if (state.at_region)
        state.regions.back().queue = queue;
}

void accrs_if_present(void)
{
    current().if_present = true;
}

void accrs_finalize(void)
{
    current().finalize = true;
}

void accrs_wait(int queue)
{
    State &state = current();
    if (state.queue == sync_queue)
        device().wait(queue);
    else
        device().wait_async(queue, state.queue);
}

void accrs_wait_all(void)
{
    State &state = current();
    if (state.queue == sync_queue)
        device().wait_all();
    else
        device().wait_all_async(state.queue);
}

void accrs_wait_async(int queue, int waiting)
{
    device().wait_async(queue, waiting);
}

void accrs_wait_all_async(int waiting)
{
    device().wait_all_async(waiting);
}

void accrs_copy(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    enter_clause(section(name, base, offset, length), true, Action::copy_out);
}

void accrs_copyin(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    enter_clause(section(name, base, offset, length), true, Action::release);
}

void accrs_copyout(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    enter_clause(section(name, base, offset, length), false, Action::copy_out);
}

void accrs_create(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    enter_clause(section(name, base, offset, length), false, Action::release);
}

void accrs_present(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    Device &target = device();
    const Lock lock(target.mutex);
    const Section s = section(name, base, offset, length);
    Entry *entry = length == 0 ? target.table.find_pointer(s.start) : target.find_whole(s);
    if (entry == nullptr && length != 0)
        fail("put the region into a data region that has it, or name it in a copy clause", "'%s' is not present on the device",
             name);
    if (entry != nullptr)
        ++entry->structured;
    add_clause(s, entry, entry == nullptr ? Action::none : Action::release);
}

void accrs_no_create(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    Device &target = device();
    const Lock lock(target.mutex);
    const Section s = section(name, base, offset, length);
    Entry *entry = target.find_whole(s);
    if (entry == nullptr) {
        // The body sees the host's address, as the standard has it.
        innermost("no_create").clauses.push_back(
            {name, s.base, s.start, length, static_cast<std::intptr_t>(s.base), Action::none});
        return;
    }
    ++entry->structured;
    add_clause(s, entry, Action::release);
}

void accrs_deviceptr(const char *name, const volatile void *pointer)
{
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    innermost("deviceptr").clauses.push_back({name, address, address, 0, static_cast<std::intptr_t>(address), Action::none});
}

void accrs_attach(const char *name, const volatile void *pointer_address)
{
    Device &target = device();
    const Lock lock(target.mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(pointer_address);
    target.attach(name, address);
    innermost("attach").clauses.push_back({name, 0, address, sizeof(void *), 0, Action::detach});
}

void accrs_implicit(const char *name, const volatile void *base)
{
    if (base == nullptr)
        return;
    Device &target = device();
    const Lock lock(target.mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    Entry *entry = target.table.find_pointer(address);
    if (entry != nullptr) {
        ++entry->structured;
        const Section whole{name, entry->base, entry->start, entry->length};
        add_clause(whole, entry, Action::release);
        return;
    }
    if (is_device_address(base)) {
        accrs_deviceptr(name, base);
        return;
    }
    fail("name it with its bounds in a data clause, as in copy(a[0:n]), here or around",
         "'%s' is not present on the device, and a pointer alone does not say how much to copy", name);
}

void accrs_enter_copyin(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    Device &target = device();
    const Lock lock(target.mutex);
    target.enter(section(name, base, offset, length), true, Count::dynamic);
}

void accrs_enter_create(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    Device &target = device();
    const Lock lock(target.mutex);
    target.enter(section(name, base, offset, length), false, Count::dynamic);
}

void accrs_enter_attach(const char *name, const volatile void *pointer_address)
{
    Device &target = device();
    const Lock lock(target.mutex);
    target.attach(name, reinterpret_cast<std::uintptr_t>(pointer_address));
}

void accrs_exit_copyout(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    Device &target = device();
    const Lock lock(target.mutex);
    target.leave(section(name, base, offset, length), true, Count::dynamic, current().finalize);
}

void accrs_exit_delete(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    Device &target = device();
    const Lock lock(target.mutex);
    target.leave(section(name, base, offset, length), false, Count::dynamic, current().finalize);
}

void accrs_exit_detach(const char *name, const volatile void *pointer_address)
{
    Device &target = device();
    const Lock lock(target.mutex);
    target.detach(name, reinterpret_cast<std::uintptr_t>(pointer_address), current().finalize);
}

void accrs_update_host(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    Device &target = device();
    const Lock lock(target.mutex);
    target.update(section(name, base, offset, length), true, current().if_present);
}

void accrs_update_device(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    Device &target = device();
    const Lock lock(target.mutex);
    target.update(section(name, base, offset, length), false, current().if_present);
}

void accrs_dimension(accrs_offset lower, accrs_size length, accrs_size extent)
{
    current().dimensions.push_back({lower, length, extent});
}

void accrs_update_host_section(const char *name, const volatile void *base, accrs_size element)
{
    update_section(name, base, element, true);
}

void accrs_update_device_section(const char *name, const volatile void *base, accrs_size element)
{
    update_section(name, base, element, false);
}

void *accrs_use_device(const char *name, const volatile void *base)
{
    if (base == nullptr)
        return nullptr;
    Device &target = device();
    const Lock lock(target.mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    const Entry *entry = target.table.find_pointer(address);
    if (entry != nullptr)
        return reinterpret_cast<void *>(entry->device_of(address));
    if (!current().if_present && !is_device_address(base))
        fail("put host_data into a data region that has it, or add if_present", "'%s' is not present on the device", name);
    return const_cast<void *>(base);
}

} // extern "C"
