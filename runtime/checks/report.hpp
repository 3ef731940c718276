// SPDX-License-Identifier: 0BSD
//
// Findings: each written once for its places in the code, as a line of JSON to the file that
// ACCRS_CHECK_REPORT names, or in words to standard error.
#ifndef ACCRS_CHECKS_REPORT_HPP
#define ACCRS_CHECKS_REPORT_HPP

#include "shadow.hpp"

#include "../watch/objects.hpp"

#include <cstdint>
#include <string>

namespace accrs::checks {

using watch::Object;

// What an address of shared memory belongs to.
Object shared_object(std::uintptr_t address);
bool is_channel(std::uintptr_t address);
void forget_channels();

struct Place {
    bool known = false;
    unsigned index[3] = {0, 0, 0};
};

struct Finding {
    const char *kind = "";  // what `src/driver/check/finding.rs` knows
    const char *space = ""; // device, shared, host
    const char *note = "";  // why it is none of the program's faults: equal, channel
    const char *access = "";
    const char *other_access = "";
    std::uint64_t site = 0, other_site = 0; // addresses as the program's file has them; 0: not known
    const char *file = "";  // where no site is known
    int line = 0;
    const char *other_file = "";
    int other_line = 0;
    Place block, thread, other_block, other_thread;
    Object object;
    std::size_t size = 0; // bytes of the access
    std::string text;     // of a barrier; of an array that is indexed; of a shift; of a queue
};

void report(Finding finding);
// Once: a launch or a copy goes into a queue.
void queues_are_used();
// As the program ends, before counts are written.
void before_the_end(void (*act)());
// Reports, then ends the launch as an illegal access does on a GPU.
[[noreturn]] void report_and_stop(Finding finding);

// A finding about the running thread; the rest is the caller's.
Finding finding_here(const char *kind, const void *pc);
// What a tag says of who made the other access.
void describe_other(Finding &finding, Tag other, std::uint32_t other_site);
const char *word(Access access);
// The running kernel's own name.
const char *running_kernel();

} // namespace accrs::checks

#endif
