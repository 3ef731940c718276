// SPDX-License-Identifier: 0BSD
//
// Events for tools (OpenACC 3.3, chapter 5). Where nothing is registered, an event costs one load.
#ifndef ACCRS_PROFILE_HPP
#define ACCRS_PROFILE_HPP

#include "../include/acc_prof.h"

#include <atomic>

namespace accrs {

extern std::atomic<bool> profiling; // whether any callback is registered

// What an event says beside its place.
struct EventData {
    const char *name = nullptr; // of a variable or kernel
    std::size_t bytes = 0;
    const void *host = nullptr;
    const void *device = nullptr;
    std::size_t gangs = 0, workers = 0, lanes = 0;
};

// Calls the callbacks of an event at the current place; `tool_info` is what they leave for the
// event's end.
void dispatch(acc_event_t event, const EventData &data, void **tool_info);

inline void event(acc_event_t which, const EventData &data = {})
{
    if (profiling.load(std::memory_order_relaxed))
        dispatch(which, data, nullptr);
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
    void *tool_info_ = nullptr;
};

} // namespace accrs

#endif
