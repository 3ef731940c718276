// SPDX-License-Identifier: 0BSD
//
// The state of a host thread during one call of openacc.h: messages name the function, and the
// queue is the call's own. What was before comes back at the end.
#ifndef ACCRS_API_CALL_HPP
#define ACCRS_API_CALL_HPP

#include "device.hpp"
#include "region.hpp"

namespace accrs {

class ApiCall {
public:
    explicit ApiCall(const char *function, int queue = sync_queue)
        : place_(current().place), queue_(current().queue), finalize_(current().finalize)
    {
        State &state = current();
        state.place = {nullptr, 0, function}; // the caller's line is not known
        state.queue = chosen_queue(queue);
        state.finalize = false;
    }
    ~ApiCall()
    {
        State &state = current();
        state.place = place_;
        state.queue = queue_;
        state.finalize = finalize_;
    }
    ApiCall(const ApiCall &) = delete;
    ApiCall &operator=(const ApiCall &) = delete;

private:
    Place place_;
    int queue_;
    bool finalize_;
};

} // namespace accrs

#endif
