// SPDX-License-Identifier: 0BSD
//
// The state of a host thread during one call of openacc.h: messages name the function and, as far as
// its macro told, the caller's line; the queue is the call's own. What was before comes back at the end.
#ifndef ACCRS_API_CALL_HPP
#define ACCRS_API_CALL_HPP

#include "device.hpp"
#include "region.hpp"

namespace accrs {

// The place that accrs_call told of a call of this function, and its first argument.
void take_place(State &state, const char *function);

class ApiCall {
public:
    explicit ApiCall(const char *function, int queue = sync_queue)
        : place_(current().place), argument_(current().argument), queue_(current().queue), finalize_(current().finalize)
    {
        State &state = current();
        take_place(state, function);
        check_queue(queue);
        state.queue = chosen_queue(queue);
        state.finalize = false;
    }
    ~ApiCall()
    {
        State &state = current();
        state.place = place_;
        state.argument = argument_;
        state.queue = queue_;
        state.finalize = finalize_;
    }
    ApiCall(const ApiCall &) = delete;
    ApiCall &operator=(const ApiCall &) = delete;

private:
    Place place_;
    const char *argument_;
    int queue_;
    bool finalize_;
};

} // namespace accrs

#endif
