// SPDX-License-Identifier: 0BSD
//
// `accrs check --compare`: two processes run the program, one on the device and one on the host. After
// each construct the one on the host sends the construct's data through a pipe, and the other one
// compares what its kernels have written there.
#ifndef ACCRS_CHECKS_COMPARE_HPP
#define ACCRS_CHECKS_COMPARE_HPP

namespace accrs::checks {

// The construct that is compared has run on the device; its data is still there.
void construct_has_run();

} // namespace accrs::checks

#endif
