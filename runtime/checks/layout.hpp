// SPDX-License-Identifier: 0BSD
//
// Elements of compared sections: their scalars, when two of these are the same, and how they are shown.
// The text of a layout is what `src/back/host/compared.rs` writes.
#ifndef ACCRS_CHECKS_LAYOUT_HPP
#define ACCRS_CHECKS_LAYOUT_HPP

#include <cstddef>
#include <string>
#include <vector>

namespace accrs::checks {

// Relative to the larger of two magnitudes: `single` is for types of up to four bytes.
struct Tolerance {
    double single = 0, other = 0;
};

// Scalars of one type in a row.
struct Field {
    std::size_t offset;
    char kind; // i, u: integers; f: floating point; b: bytes
    std::size_t bytes;
    std::size_t count;
    std::string name; // of the member; empty where there is none
};

struct Layout {
    std::size_t bytes = 0; // of an element
    std::vector<Field> fields;
};

Layout layout_of(const char *text);
// Integers and bytes: the same. Floating point: within the tolerance; NaN and NaN are the same.
bool are_same(const Field &field, const Tolerance &tolerance, const char *one, const char *other);
// With as many digits as tell it from its neighbours.
std::string text_of(const Field &field, const char *value);

} // namespace accrs::checks

#endif
