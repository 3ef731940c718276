// SPDX-License-Identifier: 0BSD
//
// What kernels ask of memory, counted as a GPU would serve it.
//
// The k-th access that each of 32 lanes makes from one place in the code, between two barriers of
// their block, is one *request* of their warp. Of a request to device memory count the distinct
// 128-byte lines (transactions) and 32-byte sectors; of one to shared memory the rounds that its
// most loaded bank needs. Requests in which all 32 lanes of a warp take part are *full*; those of
// partial warps, and of places that the lanes reached unequally often, are tallied apart: which
// lanes would then go together a GPU does not say.
#ifndef ACCRS_COUNTS_COUNTS_HPP
#define ACCRS_COUNTS_COUNTS_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace accrs::counts {

enum class Space : std::uint8_t { device, shared };
enum class Access : std::uint8_t { read, write, atomic };

constexpr unsigned lanes = 32;
constexpr std::uint64_t line_bytes = 128, sector_bytes = 32, bank_bytes = 4, banks = 32;

// One access of a thread.
struct Event {
    std::uintptr_t address;
    std::uint32_t site; // bytes from the start of the program's image
    std::uint16_t bytes;
    Access access;
    Space space;
};

// Requests of one kind.
struct Tally {
    unsigned long long requests = 0;
    unsigned long long accesses = 0;     // by threads
    unsigned long long transactions = 0; // lines; of shared memory rounds
    unsigned long long sectors = 0;      // of device memory

    void add(const Tally &other);
};

// Everything from one place in the code to one kind of memory.
struct PlaceCounts {
    Tally full, partial;
    std::string array;  // the first that was accessed
    std::size_t bytes = 0; // of an access
};

// A kernel in all its launches.
struct KernelCounts {
    unsigned long long launches = 0, blocks = 0, threads = 0;
    unsigned long long barriers = 0; // that blocks met at
    // Launches by their blocks, and the threads of one.
    std::map<std::pair<unsigned long long, unsigned>, unsigned long long> configurations;
};

// What a request comes to: `count` events of as many lanes.
Tally serve(const Event *const *events, unsigned count);

} // namespace accrs::counts

#endif
