// SPDX-License-Identifier: 0BSD
//
// Callbacks that the program or its tools have registered (OpenACC 3.3, chapter 5).
#ifndef ACCRS_CALLBACKS_HPP
#define ACCRS_CALLBACKS_HPP

#include "../include/acc_prof.h"
#include "place.hpp"

#include <vector>

namespace accrs {

// Those to call now, in the order of their registration: they may register others.
std::vector<acc_prof_callback> callbacks_of(acc_event_t event);
acc_construct_t construct_of(const Place &place);

// Calls those of acc_ev_error. They may call routines of openacc.h; an error in one of them calls
// none again.
void report_error(const Place &place, acc_error_t code, const char *message, std::size_t runtime_info);

} // namespace accrs

#endif
