// SPDX-License-Identifier: 0BSD
//
// Messages. Nothing is written unless something is wrong or a trace was asked for.
#include "place.hpp"

#include "../include/accrs/launch.hpp"
#include "region.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace accrs {

void fail(const char *help, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const Place &place = current().place;
    std::fflush(stdout); // what the program said before comes before
    if (place.file != nullptr)
        std::fprintf(stderr, "accrs: %s:%d: %s: %s\n", place.file, place.line, place.directive, message);
    else if (place.directive != nullptr)
        std::fprintf(stderr, "accrs: %s: %s\n", place.directive, message);
    else
        std::fprintf(stderr, "accrs: %s\n", message);
    if (help != nullptr)
        std::fprintf(stderr, "accrs: help: %s\n", help);
    std::exit(1);
}

void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        fail(nullptr, "%s failed: %s (%s)", what, cudaGetErrorString(status), cudaGetErrorName(status));
}

void check_named(cudaError_t status, const char *what, const char *name)
{
    if (status != cudaSuccess)
        fail(nullptr, "%s '%s' failed: %s (%s)", what, name, cudaGetErrorString(status), cudaGetErrorName(status));
}

bool tracing()
{
    static const bool on = [] {
        const char *text = std::getenv("ACCRS_TRACE");
        return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0;
    }();
    return on;
}

void trace(const char *event, const char *name, const char *format, ...)
{
    char details[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(details, sizeof details, format, arguments);
    va_end(arguments);
    const State &state = current();
    char queue[24] = "sync";
    if (state.queue != sync_queue)
        std::snprintf(queue, sizeof queue, "%d", state.queue);
    if (state.place.file != nullptr)
        std::fprintf(stderr, "accrs trace: %s %s %s queue=%s at=%s:%d\n", event, name, details, queue, state.place.file,
                     state.place.line);
    else
        std::fprintf(stderr, "accrs trace: %s %s %s queue=%s\n", event, name, details, queue);
}

} // namespace accrs
