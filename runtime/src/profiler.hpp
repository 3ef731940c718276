// SPDX-License-Identifier: 0BSD
//
// Where the time goes (ACCRS_PROFILE): what is counted of each region.
#ifndef ACCRS_PROFILER_HPP
#define ACCRS_PROFILER_HPP

#include "../include/accrs/cuda.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <tuple>

namespace accrs {

// Of pieces of work, in microseconds.
struct Times {
    unsigned long long count = 0;
    double total = 0, least = 0, most = 0;

    void add(double microseconds)
    {
        total += microseconds;
        least = count == 0 ? microseconds : std::min(least, microseconds);
        most = std::max(most, microseconds);
        ++count;
    }
};

enum class WorkKind { launch, to_device, to_host, wait };

struct Shape {
    dim3 grid, block;
};

// A kernel, a variable that is copied one way, or a queue that the host waits for; of one region.
struct Work {
    WorkKind kind;
    std::string name;
    unsigned long long count = 0;
    unsigned long long bytes = 0;
    Times times{}; // on the device, but for a wait; fewer than `count` where CUDA has failed
    Shape shape{}; // of the first launch
    bool varies = false; // others have another one
};

// A directive or a call of a routine in the program.
struct RegionKey {
    std::string file; // empty where a routine was called by its address
    int line;
    std::string construct, function;
};

inline bool operator<(const RegionKey &a, const RegionKey &b)
{
    return std::tie(a.file, a.line, a.construct, a.function) < std::tie(b.file, b.line, b.construct, b.function);
}

struct RegionCounts {
    unsigned long long reached = 0;
    std::map<int, unsigned long long> arrivals; // the latest of each host thread
    std::deque<Work> works;                     // as they came; they stay where they are
};

using Regions = std::map<RegionKey, RegionCounts>;

// Registers callbacks of its own, if the environment asks for a profile.
void start_profiler();

} // namespace accrs

#endif
