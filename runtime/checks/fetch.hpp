// SPDX-License-Identifier: 0BSD
//
// What of a fetch counts as a read, and when.
#ifndef ACCRS_CHECKS_FETCH_HPP
#define ACCRS_CHECKS_FETCH_HPP

#include "shadow.hpp"

namespace accrs::checks {

// An access while the running thread fetches.
void judge_fetch(const Attempt &attempt, const Region &region);
// The thread reads the host's memory, whose fetches are not judged.
void fetch_of_host();
// Whether a slot's cell stands for a copy that no thread has read.
bool has_copy(Tag write);
// The slot is accessed: the cell gets its own tag back, and what was copied has been read if the
// slot is.
void settle_copy(Cell &cell, bool is_read);
// A new block has none.
void forget_copies();

} // namespace accrs::checks

#endif
