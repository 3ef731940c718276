// SPDX-License-Identifier: 0BSD
//
// Where calls of openacc.h are made: its macros tell before each.
#include "api_call.hpp"

#include <array>
#include <cstring>

namespace accrs {

namespace {

struct CallPlace {
    Place place;
    const char *argument = nullptr;
};

// What was told last: calls in the arguments of a call come between it and its place.
struct CallPlaces {
    std::array<CallPlace, 4> list{};
    std::size_t next = 0;
};

CallPlaces &call_places()
{
    static thread_local CallPlaces places;
    return places;
}

bool same(const char *name, const char *other)
{
    return name != nullptr && std::strcmp(name, other) == 0;
}

} // namespace

void take_place(State &state, const char *function)
{
    CallPlaces &places = call_places();
    const std::size_t count = places.list.size();
    for (std::size_t back = 1; back <= count; ++back) {
        CallPlace &told = places.list[(places.next + count - back) % count];
        if (!same(told.place.directive, function))
            continue;
        state.place = told.place;
        state.place.arrival = ++state.arrivals;
        state.argument = told.argument;
        told = {};
        return;
    }
    if (same(state.place.directive, function))
        return; // a part of the call that is under way
    state.place = {nullptr, 0, function, nullptr, ++state.arrivals}; // by its address: the caller's line is not known
    state.argument = nullptr;
}

} // namespace accrs

extern "C" void accrs_call(const char *file, int line, const char *routine, const char *argument, const char *function)
{
    accrs::CallPlaces &places = accrs::call_places();
    places.list[places.next++ % places.list.size()] = {{file, line, routine, function}, argument};
}
