// SPDX-License-Identifier: 0BSD
//
// A kernel that uses an element of an array of which the device has none: the array's pointer is null,
// the processor traps, and the message names the array. Any other trap is what it is without us.
#include "fault.hpp"

#include "processor.hpp"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <unistd.h>

namespace accrs::emulation {

namespace {

// How far an index may lead from a null pointer.
constexpr std::uintptr_t reach = std::uintptr_t(1) << 32;

struct Empty {
    std::string construct, names, message;
};

Empty &last_empty()
{
    static Empty *const instance = new Empty; // a signal may come after static objects are gone
    return *instance;
}

struct sigaction before;

void on_trap(int signal, siginfo_t *info, void *)
{
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (is_in_kernel() && (address < reach || address >= std::uintptr_t(0) - reach)) {
        const std::string &message = last_empty().message;
        std::fflush(stdout); // what the program said before comes before
        if (write(STDERR_FILENO, message.data(), message.size()) >= 0)
            _exit(1);
    }
    sigaction(signal, &before, nullptr); // the access traps again
}

void install()
{
    struct sigaction action {};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, &before);
}

} // namespace

void note_empty(const char *file, int line, const char *directive, const char *name)
{
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    static std::once_flag installed;
    std::call_once(installed, install);
    Empty &empty = last_empty();
    std::string construct;
    if (file != nullptr)
        construct = std::string(file) + ":" + std::to_string(line) + ": ";
    if (directive != nullptr)
        construct += std::string(directive) + ": ";
    const std::string quoted = std::string("'") + name + "'";
    if (construct != empty.construct)
        empty = {construct, quoted, {}};
    else if (empty.names.find(quoted) == std::string::npos)
        empty.names += " or " + quoted;
    empty.message = "accrs: " + construct + "a kernel uses an element of " + empty.names +
                    ", of which the device has none\n"
                    "accrs: help: the section in the data clause has a length of 0\n";
}

} // namespace accrs::emulation
