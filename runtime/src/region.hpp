// SPDX-License-Identifier: 0BSD
//
// What a host thread is in the midst of: its nested regions, and the directive it carries out.
#ifndef ACCRS_REGION_HPP
#define ACCRS_REGION_HPP

#include "place.hpp"
#include "profile.hpp"

#include <cstddef>
#include <climits>
#include <cstdint>
#include <memory>
#include <vector>

namespace accrs {

class Device;

constexpr int sync_queue = -2;    // acc_async_sync
constexpr int noval_queue = -1;   // acc_async_noval
constexpr int default_queue = -3; // acc_async_default
constexpr int nowait_queue = -4;  // of accrs_nowait; a stream that no number of the program means

constexpr int no_device = -1;
constexpr int host_device = INT_MIN; // where the host itself is the current device

struct Entry;

enum class Action { none, copy_out, release, detach };

// A data clause of an open region, with the addresses it had: the body may change the pointer.
struct Clause {
    const char *name;
    std::uintptr_t base;
    std::uintptr_t start;
    std::size_t length;
    std::intptr_t device_base; // the device's address of `base`
    Action at_end;
    Entry *entry = nullptr; // what it counts in: held, so that it stays where it is until the region ends
    bool always = false;    // the copy at the end happens whoever else uses the data
    bool implicit = false;  // the program has not written it
};

struct Dimension {
    std::ptrdiff_t lower;
    std::size_t length;
    std::size_t extent;
};

// Pointers between the base of a section and the section: bytes from the base.
struct RowLevel {
    std::ptrdiff_t offset;
    std::size_t length;
};

// A section behind pointers, as a data clause of an open region gave it.
struct RowSection {
    std::uintptr_t base;
    std::vector<RowLevel> levels; // outermost first; the last is the section of each row itself
};

struct Region {
    Place place;
    int queue;
    int device; // that of its clauses; no_device where the thread has not used any yet
    std::vector<Clause> clauses;
    std::vector<RowSection> rows;
    std::shared_ptr<Device> stage; // of a region that runs by blocks on the host's memory
    bool left_host = false;        // the host is the current device again after it
    bool is_compute = false;       // it has begun with an event, where tools listen
    ToolInfo tool_info{};          // what they left then
    bool is_kernel = false;        // what it uses is there by directives of their own
};

enum class Written { as_the_clause_says, no, yes };

// What was said beforehand of the data clause that comes next.
struct Announced {
    bool zero = false;
    bool always_in = false;
    bool always_out = false;
    Written written = Written::as_the_clause_says;
    const char *extent_unknown = nullptr; // why, of a pointer without a clause
    std::vector<RowLevel> levels; // outermost first
};

// What accrs_nowait has left running.
struct Pending {
    Device *device = nullptr; // null where there is nothing
    Place place;
};

// The control variables of a host thread (2.3).
struct Choices {
    int device = no_device;
    int before_host = no_device; // the device to go back to from the host
    int default_async = 0;       // the queue of a bare async; each host thread has its own (2.3.1)
};

struct State : Choices {
    Place place;
    unsigned long long arrivals = 0; // how many places the thread has come to
    const char *argument = nullptr; // the first one of the routine that is called, as the caller wrote it
    std::vector<Device *> devices;  // by number, those that this thread has used: no lock on the way to a launch
    Device *stage = nullptr;     // stands for the device while a region runs on the host's memory
    int queue = sync_queue;
    bool if_present = false;
    bool finalize = false;
    bool at_region = false; // the latest directive opened the innermost region
    bool implicit = false;  // for tools: what is done now, no clause of the program asks for
    ToolInfo launch_info{}; // what tools left as the launch under way began
    std::vector<Region> regions;
    std::vector<Clause> room; // of a region that ended, for the next: no allocation on the way to a launch
    std::vector<Dimension> dimensions; // of the update or the section that comes next
    Pending pending;
    Announced announced;
};

State &current();
// The queue that a value of async(...) means to this host thread: acc_async_noval and
// acc_async_default are its default one.
int chosen_queue(int queue);
// Waits for what accrs_nowait has left running on this host thread.
void settle();
// The innermost region; what was called outside of any is named in the error.
Region &innermost(const char *call);

} // namespace accrs

#endif
