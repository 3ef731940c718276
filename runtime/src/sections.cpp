// SPDX-License-Identifier: 0BSD
//
// accrs.h: sections of arrays with device memory of their own. Such a section is an entry of the
// present table over all of the host's memory between its first element and its last. The device has
// the section alone: int a[8][7], of which [0:7][1:6] is allocated,
//
//     host    a00 A01 A02 A03 A04 A05 A06   a10 A11 A12 ... A76
//     device  A01 A02 A03 A04 A05 A06 A11 A12 ... A76
//
// so that an address on the host leads to its element only where there are no gaps, as of whole rows.
// What needs such addresses, every clause and routine of OpenACC, refuses the others (check_rows).
// All this happens on a GPU, whether or not the host is the current device.
#include "sections.hpp"

#include "allocations.hpp"
#include "clause.hpp"
#include "profile.hpp"
#include "section_copies.hpp"

#include "../include/accrs.h"
#include "../include/accrs/launch.hpp"

#include <algorithm>
#include <limits>

namespace accrs {

namespace {

// What a call says of a section: its array, and what part of it.
struct Asked {
    const char *name;
    std::uintptr_t base;
    std::size_t element;
    std::vector<Dimension> dimensions;
    bool zero;
};

bool is_negative(std::size_t size)
{
    return static_cast<std::ptrdiff_t>(size) < 0;
}

bool has_elements(const std::vector<Dimension> &section)
{
    return std::all_of(section.begin(), section.end(), [](const Dimension &d) { return d.length != 0; });
}

// Unless the section lies within the extents of the array. Behind a pointer the outermost one is not
// known: its place is 0.
void check_bounds(const Asked &asked)
{
    for (std::size_t i = 0; i != asked.dimensions.size(); ++i) {
        const Dimension &d = asked.dimensions[i];
        if (is_negative(d.length))
            fail(acc_error_invalid_data_section, "a section has 0 elements or more", "dimension %zu of '%s' has a negative length",
                 i + 1, asked.name);
        if (i == 0 && d.extent == 0)
            continue;
        const auto extent = static_cast<std::ptrdiff_t>(d.extent);
        if (d.lower < 0 || d.lower > extent || static_cast<std::ptrdiff_t>(d.length) > extent - d.lower)
            fail(acc_error_invalid_data_section, "a section lies within the array as it is declared",
                 "dimension %zu of '%s' has %zu elements, and the section is %s", i + 1, asked.name, d.extent,
                 text_of({d}).c_str());
    }
}

Asked ask(const char *name, const volatile void *base, std::size_t element)
{
    State &state = current();
    Asked asked{name, reinterpret_cast<std::uintptr_t>(base), element, std::exchange(state.dimensions, {}),
                std::exchange(state.announced, Announced()).zero};
    check_bounds(asked);
    if (asked.base == 0 && has_elements(asked.dimensions))
        fail(acc_error_invalid_null_pointer, "give the pointer memory before the directive", "'%s' is a null pointer", name);
    return asked;
}

// Bytes, as long as they fit.
class Bytes {
public:
    explicit Bytes(std::ptrdiff_t value) : value_(value) {}

    Bytes &operator+=(Bytes other)
    {
        fits_ = fits_ && other.fits_ && !__builtin_add_overflow(value_, other.value_, &value_);
        return *this;
    }
    Bytes times(std::size_t count) const { return times_signed(static_cast<std::ptrdiff_t>(count), !is_negative(count)); }
    Bytes times_signed(std::ptrdiff_t count, bool fits = true) const
    {
        Bytes product(0);
        product.fits_ = !__builtin_mul_overflow(value_, count, &product.value_) && fits_ && fits;
        return product;
    }
    bool fits() const { return fits_; }
    std::ptrdiff_t value() const { return value_; }

private:
    std::ptrdiff_t value_;
    bool fits_ = true;
};

// The section on the host, from its first element to its last, and its bytes on the device.
struct Layout {
    Section span;
    std::size_t bytes;
};

Layout layout(const Asked &asked)
{
    const auto element = static_cast<std::ptrdiff_t>(asked.element);
    Bytes first(0), last(0), bytes(element), stride(element);
    for (std::size_t i = asked.dimensions.size(); i-- > 0;) {
        const Dimension &d = asked.dimensions[i];
        first += stride.times_signed(d.lower);
        last += stride.times(d.length - 1);
        bytes = bytes.times(d.length);
        if (i != 0)
            stride = stride.times(d.extent);
    }
    last += Bytes(element);
    const std::uintptr_t start = asked.base + static_cast<std::uintptr_t>(first.value());
    const auto span = static_cast<std::size_t>(last.value());
    const bool begins_in_memory = first.fits() && (first.value() < 0) == (start < asked.base);
    const bool ends_in_memory = last.fits() && start <= std::numeric_limits<std::uintptr_t>::max() - span;
    if (!bytes.fits() || !begins_in_memory || !ends_in_memory)
        fail(acc_error_invalid_data_section, nullptr, "the section %s of '%s' has more bytes than there are addresses",
             text_of(asked.dimensions).c_str(), asked.name);
    return {{asked.name, asked.base, start, span}, static_cast<std::size_t>(bytes.value())};
}

const ArraySection *section_of(Device &target, const Entry &entry)
{
    return entry.alone ? target.find_section(entry.base) : nullptr;
}

// "by `global alloc` at file.c:3", as far as it is known.
std::string origin_of(const ArraySection &known)
{
    std::string text = "by `global alloc`";
    if (known.place.file != nullptr)
        text += std::string(" at ") + known.place.file + ":" + std::to_string(known.place.line);
    return text;
}

constexpr const char *overlap_help = "free that one first; sections of one array overlap also where the rows of one lie "
                                     "between those of the other: allocate a section that has both";

// Where the section's memory on the host, its gaps as well, must have no copy on the device.
void check_absent(Device &target, const Asked &asked, const Section &span)
{
    const ArraySection *known = target.find_section(asked.base);
    if (known != nullptr && asked.base != 0)
        fail(acc_error_present, "free it first", "'%s' is on the device already, as %s%s, %s", asked.name, known->name,
             text_of(known->dimensions).c_str(), origin_of(*known).c_str());
    const Found found = target.table.find(span.start, span.length);
    if (found.presence == Presence::absent || span.length == 0)
        return;
    known = section_of(target, *found.entry);
    if (known != nullptr)
        fail(acc_error_present, overlap_help, "'%s' overlaps %s%s, which is on the device %s", asked.name, known->name,
             text_of(known->dimensions).c_str(), origin_of(*known).c_str());
    fail(acc_error_present, "end that lifetime first, or leave out the `global alloc`",
         "'%s' overlaps data that is on the device by a data directive", asked.name);
}

void allocate(const Asked &asked)
{
    Device &target = device();
    const Lock lock(target.mutex);
    if (asked.base != 0 && is_device_address(reinterpret_cast<const void *>(asked.base)))
        fail(acc_error_invalid_argument, "a kernel takes it as it is", "'%s' is device memory itself", asked.name);
    const bool is_empty = !has_elements(asked.dimensions);
    const Layout where = is_empty ? Layout{{asked.name, asked.base, asked.base, 0}, 0} : layout(asked);
    check_absent(target, asked, where.span);
    const EventScope event(acc_ev_enter_data_start);
    Entry *entry = where.bytes == 0 ? nullptr : target.enter_section(where.span, where.bytes, asked.zero);
    target.sections.emplace(asked.base,
                            ArraySection{asked.name, current().place, asked.element, asked.dimensions, entry});
}

// The section that copies and the end of its lifetime are of.
ArraySection &allocated(Device &target, const char *name, std::uintptr_t base, const char *help)
{
    if (ArraySection *known = target.find_section(base))
        return *known;
    if (base == 0)
        fail(acc_error_invalid_null_pointer, help, "'%s' is a null pointer", name);
    const Entry *entry = target.table.find_pointer(base);
    if (entry != nullptr && !entry->alone)
        fail(acc_error_not_present, "`update`, `exit data` and the ends of data regions are for such data",
             "'%s' is on the device by a data directive, not by `global alloc`", name);
    fail(acc_error_not_present, help, "'%s' is not on the device by `global alloc`", name);
}

// Whether both are sections of one array, so far as the inner extents tell.
bool same_array(const ArraySection &known, const Asked &asked)
{
    if (known.element != asked.element || known.dimensions.size() != asked.dimensions.size())
        return false;
    for (std::size_t i = 1; i < asked.dimensions.size(); ++i)
        if (known.dimensions[i].extent != asked.dimensions[i].extent)
            return false;
    return true;
}

bool contains(const std::vector<Dimension> &outer, const std::vector<Dimension> &inner)
{
    for (std::size_t i = 0; i != outer.size(); ++i) {
        const std::ptrdiff_t before = inner[i].lower - outer[i].lower;
        const auto length = static_cast<std::ptrdiff_t>(outer[i].length);
        if (before < 0 || before > length || static_cast<std::ptrdiff_t>(inner[i].length) > length - before)
            return false;
    }
    return true;
}

std::string declared(std::size_t element, const std::vector<Dimension> &dimensions)
{
    std::string text = std::to_string(element) + " bytes";
    for (std::size_t i = 0; i != dimensions.size(); ++i)
        text += i == 0 ? " [*]" : "[" + std::to_string(dimensions[i].extent) + "]";
    return text;
}

void transfer(const Asked &asked, bool to_host)
{
    Device &target = device();
    const Lock lock(target.mutex);
    const ArraySection &known = allocated(target, asked.name, asked.base, "put a `global alloc` for it before");
    if (!has_elements(asked.dimensions))
        return;
    if (!same_array(known, asked))
        fail(acc_error_invalid_data_section, "it is declared as it was at its `global alloc`",
             "'%s' is an array of %s here, and was one of %s at its `global alloc`", asked.name,
             declared(asked.element, asked.dimensions).c_str(), declared(known.element, known.dimensions).c_str());
    const Layout where = layout(asked);
    if (!contains(known.dimensions, asked.dimensions))
        fail(acc_error_partly_present, "allocate all that is copied", "'%s' has the section %s on the device, and %s is to be copied",
             asked.name, text_of(known.dimensions).c_str(), text_of(asked.dimensions).c_str());
    if (known.entry == nullptr)
        return; // elements without bytes
    const EventScope event(acc_ev_update_start);
    target.copy_section(*known.entry, plan_copy(known.dimensions, asked.dimensions, asked.element), where.span, to_host);
}

void end_section(const char *name, std::uintptr_t base)
{
    Device &target = device();
    const Lock lock(target.mutex);
    const ArraySection &known =
        allocated(target, name, base, "it was freed before, or this is another address than that of its `global alloc`");
    if (known.entry != nullptr && known.entry->structured != 0)
        fail(acc_error_present, "free it after the region", "'%s' is in use by a data region", name);
    const EventScope event(acc_ev_exit_data_start);
    if (known.entry != nullptr)
        target.unmap(*known.entry, name);
    target.sections.erase(target.sections.find(base));
}

// What a kernel was made for in the inner dimensions, as text.
std::string text_of_rows(std::initializer_list<std::size_t> rows)
{
    std::string text;
    for (const std::size_t length : rows)
        text += "[" + std::to_string(length) + "]";
    return text;
}

std::string text_of_rows(std::initializer_list<SectionRow> rows)
{
    std::vector<Dimension> section;
    for (const SectionRow &row : rows)
        section.push_back({row.lower, row.length, 0});
    return text_of(section);
}

bool fits(std::size_t row, const Dimension &allocated)
{
    return row == allocated.length;
}

bool fits(const SectionRow &row, const Dimension &allocated)
{
    return row.length == allocated.length && row.lower == allocated.lower;
}

// How far the address stands before the dimension's lower bound: a kernel that subtracts the bound
// counts from there.
std::ptrdiff_t counted_from(std::size_t, const Dimension &allocated)
{
    return allocated.lower;
}

std::ptrdiff_t counted_from(const SectionRow &, const Dimension &)
{
    return 0;
}

bool begins_at_zero(std::size_t)
{
    return true;
}

bool begins_at_zero(const SectionRow &row)
{
    return row.lower == 0;
}

template <class Row>
std::uintptr_t address_for(const volatile void *base, const char *name, std::initializer_list<Row> rows)
{
    Device &target = device();
    const Lock lock(target.mutex);
    const ArraySection *known = target.find_section(reinterpret_cast<std::uintptr_t>(base));
    if (known == nullptr) {
        // Data directives bring whole rows.
        for (const Row &row : rows)
            if (!begins_at_zero(row))
                fail(acc_error_not_present, "put a `global alloc` before the kernel",
                     "the section of '%s' that the kernel was made for, with rows %s, is not on the device", name,
                     text_of_rows(rows).c_str());
        return known_address(base, name);
    }
    const std::vector<Dimension> &section = known->dimensions;
    bool is_right = rows.size() + 1 == std::max<std::size_t>(section.size(), 1);
    for (std::size_t i = 0; is_right && i != rows.size(); ++i)
        is_right = fits(rows.begin()[i], section[i + 1]);
    if (!is_right)
        fail(acc_error_partly_present, "the `global alloc` that a kernel was translated for has to be the one that it runs with",
             "'%s' has the section %s on the device, %s, and the kernel was made for %s%s", name, text_of(section).c_str(),
             origin_of(*known).c_str(), rows.size() == 0 ? "one dimension" : "rows ", text_of_rows(rows).c_str());
    if (known->entry == nullptr)
        return 0;
    std::size_t stride = known->element;
    std::uintptr_t address = known->entry->device;
    for (std::size_t i = section.size(); i-- > 0;) {
        const std::ptrdiff_t before = i == 0 ? section[i].lower : counted_from(rows.begin()[i - 1], section[i]);
        address -= static_cast<std::uintptr_t>(before) * stride;
        stride *= section[i].length;
    }
    return address;
}

} // namespace

std::string text_of(const std::vector<Dimension> &section)
{
    std::string text;
    for (const Dimension &d : section) {
        const auto last = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(d.lower) + d.length - 1);
        text += "[" + std::to_string(d.lower) + ":" + std::to_string(last) + "]";
    }
    return text;
}

std::uintptr_t section_address(const volatile void *base, const char *name, std::initializer_list<std::size_t> rows)
{
    return address_for(base, name, rows);
}

std::uintptr_t section_address(const volatile void *base, const char *name, std::initializer_list<SectionRow> rows)
{
    return address_for(base, name, rows);
}

ArraySection *Device::find_section(std::uintptr_t base)
{
    const auto found = sections.find(base);
    return found == sections.end() ? nullptr : &found->second;
}

void Device::check_rows(const Entry &entry, const char *name)
{
    if (entry.gaps == 0)
        return;
    const ArraySection *known = section_of(*this, entry);
    fail(acc_error_partly_present, "allocate whole rows, or use it in kernels and directives that know the section alone",
         "'%s' has the section %s on the device, %s, with rows closed up, so that no address on the host leads to its elements", name,
         known == nullptr ? "" : text_of(known->dimensions).c_str(), known == nullptr ? "" : origin_of(*known).c_str());
}

} // namespace accrs

using namespace accrs;

extern "C" {

void accrs_section_alloc(const char *name, const volatile void *base, accrs_size element)
{
    settle();
    const DeviceScope scope(any_gpu());
    allocate(ask(name, base, element));
}

void accrs_section_in(const char *name, const volatile void *base, accrs_size element)
{
    settle();
    const DeviceScope scope(any_gpu());
    transfer(ask(name, base, element), false);
}

void accrs_section_out(const char *name, const volatile void *base, accrs_size element)
{
    settle();
    const DeviceScope scope(any_gpu());
    transfer(ask(name, base, element), true);
}

void accrs_section_free(const char *name, const volatile void *base)
{
    settle();
    const DeviceScope scope(any_gpu());
    end_section(name, reinterpret_cast<std::uintptr_t>(base));
}

} // extern "C"
