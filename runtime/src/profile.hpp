// SPDX-License-Identifier: 0BSD
//
// Events for tools (OpenACC 3.3, chapter 5). Where nothing is registered, an event costs one load.
#ifndef ACCRS_PROFILE_HPP
#define ACCRS_PROFILE_HPP

#include "../include/acc_callback.h"
#include "../include/accrs/cuda.hpp"

#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <vector>

namespace accrs {

extern std::atomic<bool> profiling; // whether any callback is registered

constexpr int queue_of_directive = INT_MIN;

// What an event says beside its place.
struct EventData {
    const char *name = nullptr; // of a variable or kernel
    std::size_t bytes = 0;
    const void *host = nullptr;
    const void *device = nullptr;
    cudaStream_t stream = nullptr; // that it is about
    int queue = queue_of_directive; // or the one that the event is about
    dim3 grid{0, 0, 0}, block{0, 0, 0};
};

// What the callbacks of an event's start leave for those of its end, by their ranks: a tool registers
// both in the same order.
using ToolInfo = std::vector<void *>;

// Calls the callbacks of an event at the current place.
void dispatch(acc_event_t event, const EventData &data, ToolInfo *tool_info);

inline void event(acc_event_t which, const EventData &data = {}, ToolInfo *tool_info = nullptr)
{
    if (profiling.load(std::memory_order_relaxed))
        dispatch(which, data, tool_info);
}

// An event that lasts: its start, and with the end of the scope its end, which comes next in
// acc_event_t.
class EventScope {
public:
    explicit EventScope(acc_event_t start, const EventData &data = {})
        : start_(start), data_(data), on_(profiling.load(std::memory_order_relaxed))
    {
        if (on_)
            dispatch(start_, data_, &tool_info_);
    }
    ~EventScope()
    {
        if (on_)
            dispatch(static_cast<acc_event_t>(start_ + 1), data_, &tool_info_);
    }
    EventScope(const EventScope &) = delete;
    EventScope &operator=(const EventScope &) = delete;

private:
    acc_event_t start_;
    EventData data_;
    bool on_;
    ToolInfo tool_info_;
};

} // namespace accrs

#endif
