// SPDX-License-Identifier: 0BSD
//
// Indices outside arrays whose extent the compiler knows (its -fsanitize=bounds calls here), and
// outside windows in dynamic shared memory. Shifts by more places than there are: -fsanitize=shift-exponent
// tells of them in generated code, `emulation/shifts.hpp` in CUDA files.
#include "report.hpp"
#include "window.hpp"

#include <string>

namespace {

// What the compiler passes; the layout is its sanitizer's interface.
struct SourceLocation {
    const char *file;
    std::uint32_t line;
    std::uint32_t column;
};

struct TypeDescriptor {
    std::uint16_t kind; // 0: integer
    std::uint16_t info; // bit 0: signed; above: log2 of the width in bits
    char name[1];       // quoted
};

struct OutOfBounds {
    SourceLocation location;
    const TypeDescriptor *array;
    const TypeDescriptor *index;
};

struct ShiftOutOfBounds {
    SourceLocation location;
    const TypeDescriptor *shifted;
    const TypeDescriptor *places;
};

std::string index_text(const TypeDescriptor &type, std::uintptr_t handle)
{
    const unsigned width = 1u << (type.info >> 1);
    if (type.kind != 0 || width > 64)
        return "?";
    if ((type.info & 1) == 0)
        return std::to_string(handle);
    const unsigned unused = 64 - width;
    return std::to_string(static_cast<std::int64_t>(static_cast<std::uint64_t>(handle) << unused) >> unused);
}

void outside(const std::string &index, const std::string &array, int line, const void *pc)
{
    using namespace accrs::checks;
    if (running.now == 0)
        return; // the launcher
    settle();
    Finding finding = finding_here("window", pc);
    finding.line = line;
    finding.text = "index " + index + " is outside " + array;
    report_and_stop(std::move(finding));
}

// A GPU shifts everything out, a CPU by what is left of the number of places.
void shifted(unsigned bits, const std::string &places, int line, const void *pc)
{
    using namespace accrs::checks;
    if (running.now == 0)
        return; // the launcher
    settle();
    Finding finding = finding_here("shift", pc);
    finding.line = line;
    finding.text = "a value of " + std::to_string(bits) + " bits is shifted by " + places + " places";
    report(std::move(finding));
}

} // namespace

extern "C" void __ubsan_handle_out_of_bounds(const OutOfBounds *data, std::uintptr_t index) // NOLINT: the compiler's name
{
    outside(index_text(*data->index, index), std::string("an array of type ") + data->array->name,
            static_cast<int>(data->location.line), __builtin_return_address(0));
}

extern "C" void __ubsan_handle_shift_out_of_bounds(const ShiftOutOfBounds *data, std::uintptr_t, // NOLINT: the compiler's name
                                                   std::uintptr_t places)
{
    shifted(1u << (data->shifted->info >> 1), index_text(*data->places, places), static_cast<int>(data->location.line),
            __builtin_return_address(0));
}

namespace accrs::watch {

void shifted_out(unsigned bits, unsigned long long places, bool is_negative)
{
    const std::string text = is_negative ? std::to_string(static_cast<long long>(places)) : std::to_string(places);
    shifted(bits, text, 0, __builtin_return_address(0));
}

} // namespace accrs::watch

namespace accrs::checks {

void outside_window(const char *name, long long index, std::size_t elements, const void *pc)
{
    outside(std::to_string(index), "the window `" + std::string(name) + "` of " + std::to_string(elements) + " elements", 0, pc);
    __builtin_unreachable(); // windows are of kernels
}

} // namespace accrs::checks
