// SPDX-License-Identifier: 0BSD
//
// Which launches and copies are known to be over before which others, whatever the emulation, which
// carries each out at once, makes of it.
#ifndef ACCRS_CHECKS_QUEUES_HPP
#define ACCRS_CHECKS_QUEUES_HPP

#include "shadow.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace accrs::checks {

// The directive that is carried out; no file where a program calls CUDA itself.
struct Directive {
    const char *file = nullptr;
    int line = 0;
    std::string queue; // in words
};

Directive directive_here();

// A launch or a copy.
struct Operation {
    Tag begin, end; // its accesses have tags from `begin` up to `end`
    std::size_t stream;
    std::uint64_t number; // within its stream, from 1
    Directive directive;
};

// An operation that begins, and those begun before it that may still be under way, by their tags.
struct Begun {
    Operation operation;
    std::vector<Operation> others;

    // What an access of that tag may overlap with; null: it is over.
    const Operation *overlapped(Tag tag) const;
};

// In a stream of CUDA, null for the default one of the current device.
Begun operation_begins(const void *stream);
// Whether the host has waited for it.
bool is_over(const Operation &operation);
// Those of `others` for a launch of this time.
std::vector<Operation> others_of_launch(std::uint64_t time);

// The time of what begins now: later than all before.
std::uint64_t next_time();

} // namespace accrs::checks

#endif
