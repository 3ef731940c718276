// SPDX-License-Identifier: 0BSD
//
// What launches store where, for a comparison of two runs; asked for by ACCRS_CHECK_STORES.
#ifndef ACCRS_CHECKS_STORES_HPP
#define ACCRS_CHECKS_STORES_HPP

#include <cstddef>
#include <cstdint>

namespace accrs::checks {

bool stores_are_asked_for();
// A thread of a kernel is about to store there.
void note_store(std::uintptr_t address, std::size_t bytes, const void *pc);
// The last store has happened.
void settle_store();
// A launch of this time begins on this OS thread, or goes on; and ends.
void stores_begin(std::uint64_t launch_time, const char *kernel);
void stores_end();

} // namespace accrs::checks

#endif
