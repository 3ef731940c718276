// SPDX-License-Identifier: 0BSD
//
// Pieces of the host's memory whose value is not the one that the program may expect, until they are
// written. Not locked: who has them does that.
#ifndef ACCRS_CHECKS_DOUBTS_HPP
#define ACCRS_CHECKS_DOUBTS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace accrs::checks {

// Why, and of which section.
struct Doubt {
    enum Kind { dropped, nonsense } kind; // the device had a newer value; a copy of what has none
    const char *name;
    std::uintptr_t section;
    std::size_t section_bytes;
    std::uint32_t site; // of the kernel that made the newer value
    const char *file;   // of the directive
    int line;
};

class Doubts {
public:
    bool empty() const { return ranges_.empty(); }
    // `value`: what is there, or will be.
    void add(std::uintptr_t begin, std::size_t bytes, const Doubt &doubt, const void *value);
    // Calls `act(doubt, address)` for the pieces of a range that still have that value, and forgets all of them.
    void take(std::uintptr_t begin, std::size_t bytes, const std::function<void(const Doubt &, std::uintptr_t)> &act);
    // Calls `act(doubt, address, bytes)` for the same, and keeps them.
    void visit(std::uintptr_t begin, std::size_t bytes,
               const std::function<void(const Doubt &, std::uintptr_t, std::size_t)> &act);
    void for_each_range(const std::function<void(std::uintptr_t, std::size_t)> &act) const;
    bool any_on_stack() const;
    // Forgets what the host thread's stack has between its end and `frame`.
    void forget_stack_below(std::uintptr_t frame);

private:
    // Neighbours with one doubt.
    struct Range {
        Doubt doubt;
        std::vector<unsigned char> value;
        std::vector<bool> holds; // of each byte: not forgotten
        std::size_t left;        // so many
    };
    using Ranges = std::map<std::uintptr_t, Range>; // disjoint

    // The first range that may reach beyond an address.
    Ranges::iterator first(std::uintptr_t address);
    void cut_out(std::uintptr_t begin, std::uintptr_t end);

    Ranges ranges_;
};

} // namespace accrs::checks

#endif
