// SPDX-License-Identifier: 0BSD
//
// Events of the running block, by thread, until they are counted.
#ifndef ACCRS_COUNTS_WARPS_HPP
#define ACCRS_COUNTS_WARPS_HPP

#include "counts.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace accrs::counts {

struct Range {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;

    bool contains(std::uintptr_t address) const { return address - begin < bytes; }
};

// Device memory; one for all processors.
extern Range arena;

// What this OS thread runs now.
struct Running {
    std::vector<Event> *events = nullptr; // of the running thread; none outside kernels
    Range shared;                         // __shared__ variables
    Range dynamic;                        // dynamic shared memory
};

extern thread_local Running running;

using PlaceKey = std::tuple<std::string, std::uint32_t, Access, Space>; // kernel, site

// All that a processor, or the whole program, has counted.
struct Book {
    std::map<std::string, KernelCounts> kernels;
    std::map<PlaceKey, PlaceCounts> places;

    void add(const Book &other);
};

// Counts the events of one warp, and forgets them. `lane_events` has one list for each lane.
void count_warp(std::vector<Event> *lane_events, unsigned count, const std::string &kernel, Book &book);

// Adds what a processor has counted to what the program reports at its end.
void publish(Book &book);

} // namespace accrs::counts

#endif
