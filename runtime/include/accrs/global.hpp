// SPDX-License-Identifier: 0BSD
//
// Global variables of the host program that device functions name (declare outside of functions),
// and routines of other files. The functions without a body here are in src/globals.cpp.
#ifndef ACCRS_GLOBAL_HPP
#define ACCRS_GLOBAL_HPP

#include "cuda.hpp"

#include <cstddef>

namespace accrs {

// Leads from device code to the copy of a variable on the device that it runs on: to nothing while
// the variable is not present there. Each file has its own for the variables that it names.
template <class T> struct Global {
#if ACCRS_EMULATED
    T *copies[emulation::most_devices];
    T &operator*() const { return *static_cast<T *>(emulation::global_copy(copies, sizeof copies[0])); }
#else
    T *copy;
    __device__ T &operator*() const { return *copy; }
#endif
};

// The bytes of a variable that decide whether it is present: one where its length is that of
// another file.
template <class T> struct GlobalBytes {
    static constexpr std::size_t value = sizeof(T);
};
template <class T> struct GlobalBytes<T[]> {
    static constexpr std::size_t value = 1;
};

void reach(const void *global, const volatile void *host, std::size_t bytes);

// From now on `global` leads to the copy of the host's variable.
template <class T> void reach(const Global<T> &global, const volatile void *host)
{
    reach(&global, host, GlobalBytes<T>::value);
}

} // namespace accrs

// Between files a routine has one name on every device. On a GPU, where device code is linked
// apart, the host's part of the object says so to the host's linker: it then finds the file in an
// archive, and its message names a routine that no file has.
#if ACCRS_EMULATED
#define ACCRS_EXPORTS(routine)
#define ACCRS_IMPORTS(routine)
#else
#define ACCRS_EXPORTS(routine)                                                 \
    extern "C" {                                                               \
    extern const char routine##_exported;                                      \
    const char routine##_exported = 0;                                         \
    }
#define ACCRS_IMPORTS(routine)                                                 \
    extern "C" const char routine##_exported;                                  \
    __attribute__((used)) static const char *const routine##_imported = &routine##_exported;
#endif

#endif
