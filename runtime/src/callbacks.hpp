// SPDX-License-Identifier: 0BSD
//
// Callbacks that the program or its tools have registered (OpenACC 3.3, chapter 5).
#ifndef ACCRS_CALLBACKS_HPP
#define ACCRS_CALLBACKS_HPP

#include "../include/acc_callback.h"
#include "place.hpp"

#include <cstddef>

namespace accrs {

// Those of one event, in the order in which they are called: as they were registered, and backwards
// where the event is an end. What a callback or another thread registers, removes, enables or
// disables meanwhile counts from the next step on (5.5.1).
class CallbackWalk {
public:
    explicit CallbackWalk(acc_event_t event);
    // The one to call now; null where there is none any more.
    acc_callback next();
    // How many callbacks of the event were registered before that one.
    std::size_t rank() const { return rank_; }

private:
    const acc_event_t event_;
    const bool backwards_;
    unsigned long long bound_; // of the registrations still to come
    std::size_t rank_ = 0;
};

acc_construct_t construct_of(const Place &place);

// Calls those of acc_ev_error. They may call routines of openacc.h; an error in one of them calls
// none again.
void report_error(const Place &place, acc_error_t code, const char *message, std::size_t runtime_info);

} // namespace accrs

#endif
