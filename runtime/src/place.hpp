// SPDX-License-Identifier: 0BSD
//
// Where the program is: what messages and traces name.
#ifndef ACCRS_PLACE_HPP
#define ACCRS_PLACE_HPP

#include <cstddef>

#include "../include/acc_callback.h"
#include "../include/accrs/cuda.hpp"

namespace accrs {

struct Place {
    const char *file = nullptr; // literals of the generated program
    int line = 0;
    const char *directive = nullptr;
    const char *function = nullptr;
    unsigned long long arrival = 0; // which of the places that the host thread has come to; from 1
};

// "file:line: directive: " before `message`, then a help line unless `help` is null; exit status 1.
// Before, callbacks of acc_ev_error are called with the kind of error that the standard says it is.
[[noreturn]] void fail(acc_error_t kind, const char *help, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The same for errors that the standard does not name.
[[noreturn]] void fail(const char *help, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Ends the program with CUDA's words if `status` is an error.
void check_named(cudaError_t status, const char *what, const char *name);

bool tracing();
// One line on stderr: "accrs trace: EVENT NAME key=value ... at=file:line queue=N".
void trace(const char *event, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
// The host's clock; never goes back.
double microseconds();

} // namespace accrs

#endif
