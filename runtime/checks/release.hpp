// SPDX-License-Identifier: 0BSD
//
// What orders the blocks of a launch: release and acquire.
#ifndef ACCRS_CHECKS_RELEASE_HPP
#define ACCRS_CHECKS_RELEASE_HPP

#include "shadow.hpp"

namespace accrs::checks {

// Whether an access by another block of the launch is known to be before what the running thread
// does now.
bool is_acquired(Tag earlier);

} // namespace accrs::checks

#endif
