// SPDX-License-Identifier: 0BSD
//
// accrs.h: update, of sections with gaps as well. Each function locks the device for its whole
// work, copies included.
#include "clause.hpp"
#include "profile.hpp"

#include "../include/accrs.h"

namespace accrs {

namespace {

void update(const char *name, const volatile void *base, accrs_offset offset, accrs_size length, bool to_host)
{
    const DataClause clause(name, base, offset, length);
    Device &target = device();
    const Lock lock(target.mutex);
    const bool if_present = current().if_present;
    const EventScope event(acc_ev_update_start);
    clause.walk(
        Direction::entering, [&](const Section &s) { target.update(s, to_host, if_present); }, [](const Section &) {},
        [](std::uintptr_t) {});
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
        if (static_cast<std::ptrdiff_t>(d.length) < 0)
            fail(acc_error_invalid_data_section, "a section has 0 elements or more", "'%s' has a negative length", name);
    accrs_size bytes = element;
    for (const Dimension &d : dimensions) {
        if (d.length == 0)
            return;
        bytes = accrs_bytes(static_cast<accrs_offset>(d.length), bytes);
    }
    if (bytes == too_many_bytes)
        fail(acc_error_invalid_data_section, nullptr, "'%s' has more bytes than there are addresses", name);
    Device &target = device();
    const Lock lock(target.mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    const EventScope event(acc_ev_update_start);
    for_each_piece(dimensions, element, [&](std::ptrdiff_t offset, std::size_t length) {
        target.update({name, address, address + static_cast<std::uintptr_t>(offset), length}, to_host, state.if_present);
    });
}

} // namespace

} // namespace accrs

using namespace accrs;

extern "C" {

void accrs_update_host(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    update(name, base, offset, length, true);
}

void accrs_update_device(const char *name, const volatile void *base, accrs_offset offset, accrs_size length)
{
    update(name, base, offset, length, false);
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

} // extern "C"
