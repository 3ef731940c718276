// SPDX-License-Identifier: 0BSD
//
// The host's allocations and variables: a section must not leave the one that it starts in. The linker
// sends the program's calls of these functions here (--wrap); what a library allocates is not known.
// So are calls that read or write many bytes at once. What a kernel allocates is the device's.
#include "host_memory.hpp"

#include "coherence.hpp"

#include "../emulation/kernel.hpp"
#include "../watch/objects.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <unistd.h>

namespace accrs::checks {

namespace {

std::mutex mutex;

std::map<std::uintptr_t, std::size_t> &blocks()
{
    static auto *const map = new std::map<std::uintptr_t, std::size_t>; // outlives all static objects
    return *map;
}

void *remember(void *block, std::size_t bytes)
{
    if (block == nullptr)
        return block;
    const auto begin = reinterpret_cast<std::uintptr_t>(block);
    host_forgets(begin, bytes);
    const std::lock_guard<std::mutex> lock(mutex);
    blocks()[begin] = bytes;
    return block;
}

void forget(void *block)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(block);
    std::size_t bytes = 0;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        const auto found = blocks().find(begin);
        if (found == blocks().end())
            return;
        bytes = found->second;
        blocks().erase(found);
    }
    host_forgets(begin, bytes);
}

// Whether a kernel calls, and not the host program.
bool in_kernel()
{
    return running.now != 0;
}

} // namespace

std::size_t bytes_from(std::uintptr_t address)
{
    {
        const std::lock_guard<std::mutex> lock(mutex);
        auto after = blocks().upper_bound(address);
        if (after != blocks().begin()) {
            --after;
            if (address - after->first < after->second)
                return after->first + after->second - address;
        }
    }
    return watch::bytes_of_variable_from(address);
}

} // namespace accrs::checks

using namespace accrs::checks;

extern "C" {

// NOLINTBEGIN: the linker's names
void *__real_malloc(std::size_t bytes);
void *__real_calloc(std::size_t count, std::size_t bytes);
void *__real_realloc(void *block, std::size_t bytes);
void *__real_aligned_alloc(std::size_t alignment, std::size_t bytes);
int __real_posix_memalign(void **block, std::size_t alignment, std::size_t bytes);
void __real_free(void *block);
std::size_t __real_fread(void *to, std::size_t bytes, std::size_t count, std::FILE *file);
std::size_t __real_fwrite(const void *from, std::size_t bytes, std::size_t count, std::FILE *file);
ssize_t __real_read(int file, void *to, std::size_t bytes);
ssize_t __real_write(int file, const void *from, std::size_t bytes);

void *__wrap_malloc(std::size_t bytes)
{
    if (in_kernel())
        return accrs::emulation::allocate_in_heap(bytes);
    return remember(__real_malloc(bytes), bytes);
}

void *__wrap_calloc(std::size_t count, std::size_t bytes)
{
    return remember(__real_calloc(count, bytes), count * bytes); // a product that wraps gets no memory
}

void *__wrap_realloc(void *block, std::size_t bytes)
{
    void *const moved = __real_realloc(block, bytes);
    if (moved == nullptr && bytes != 0)
        return nullptr;
    forget(block);
    return remember(moved, bytes);
}

void *__wrap_aligned_alloc(std::size_t alignment, std::size_t bytes)
{
    return remember(__real_aligned_alloc(alignment, bytes), bytes);
}

int __wrap_posix_memalign(void **block, std::size_t alignment, std::size_t bytes)
{
    const int status = __real_posix_memalign(block, alignment, bytes);
    if (status == 0)
        remember(*block, bytes);
    return status;
}

void __wrap_free(void *block)
{
    if (in_kernel())
        return accrs::emulation::release_in_heap(block);
    forget(block);
    __real_free(block);
}

std::size_t __wrap_fread(void *to, std::size_t bytes, std::size_t count, std::FILE *file)
{
    const std::size_t got = __real_fread(to, bytes, count, file);
    if (got != 0)
        host_access(Access::write, to, bytes * got, __builtin_return_address(0));
    return got;
}

std::size_t __wrap_fwrite(const void *from, std::size_t bytes, std::size_t count, std::FILE *file)
{
    if (bytes * count != 0)
        host_access(Access::read, from, bytes * count, __builtin_return_address(0));
    return __real_fwrite(from, bytes, count, file);
}

ssize_t __wrap_read(int file, void *to, std::size_t bytes)
{
    const ssize_t got = __real_read(file, to, bytes);
    if (got > 0) {
        const int error = errno;
        host_access(Access::write, to, static_cast<std::size_t>(got), __builtin_return_address(0));
        errno = error;
    }
    return got;
}

ssize_t __wrap_write(int file, const void *from, std::size_t bytes)
{
    if (bytes != 0)
        host_access(Access::read, from, bytes, __builtin_return_address(0));
    return __real_write(file, from, bytes);
}
// NOLINTEND

} // extern "C"
