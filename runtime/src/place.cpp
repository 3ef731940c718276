// SPDX-License-Identifier: 0BSD
//
// Messages. Nothing is written unless something is wrong or a trace was asked for.
#include "place.hpp"

#include "../include/accrs/launch.hpp"
#include "callbacks.hpp"
#include "device.hpp"
#include "region.hpp"

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace accrs {

namespace {

struct Kind {
    acc_error_t error;
    std::size_t of_cuda;
};

// Several host threads may fail at once: the first one ends the program. The others wait for that,
// and not forever, since they may hold what an exit handler waits for.
void be_the_first_to_fail()
{
    static std::atomic<bool> failing{false};
    static thread_local bool own = false;
    if (own || !failing.exchange(true)) {
        own = true;
        return;
    }
    std::this_thread::sleep_for(std::chrono::seconds(10));
    std::_Exit(1);
}

// Whether the present table tells why.
bool is_of_table(acc_error_t error)
{
    return error == acc_error_not_present || error == acc_error_partly_present || error == acc_error_present;
}

[[noreturn]] void say(Kind kind, const char *help, const char *format, va_list arguments)
{
    char message[512];
    std::vsnprintf(message, sizeof message, format, arguments);
    be_the_first_to_fail();
    const Place place = current().place;
    if (tracing() && is_of_table(kind.error))
        device().trace_table();
    report_error(place, kind.error, message, kind.of_cuda);
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

[[noreturn]] __attribute__((format(printf, 2, 3))) void fail_in_cuda(cudaError_t status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say({status == cudaErrorMemoryAllocation ? acc_error_out_of_memory : acc_error_execution, static_cast<std::size_t>(status)},
        nullptr, format, arguments);
}

} // namespace

void fail(acc_error_t kind, const char *help, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say({kind, 0}, help, format, arguments);
}

void fail(const char *help, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say({acc_error_other, 0}, help, format, arguments);
}

void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        fail_in_cuda(status, "%s failed: %s (%s)", what, cudaGetErrorString(status), cudaGetErrorName(status));
}

void check_named(cudaError_t status, const char *what, const char *name)
{
    if (status != cudaSuccess)
        fail_in_cuda(status, "%s '%s' failed: %s (%s)", what, name, cudaGetErrorString(status), cudaGetErrorName(status));
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
    if (state.queue == nowait_queue)
        std::strcpy(queue, "nowait");
    else if (state.queue != sync_queue)
        std::snprintf(queue, sizeof queue, "%d", state.queue);
    if (state.place.file != nullptr)
        std::fprintf(stderr, "accrs trace: %s %s %s queue=%s at=%s:%d\n", event, name, details, queue, state.place.file,
                     state.place.line);
    else
        std::fprintf(stderr, "accrs trace: %s %s %s queue=%s\n", event, name, details, queue);
}

double microseconds()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::micro>(now).count();
}

} // namespace accrs
