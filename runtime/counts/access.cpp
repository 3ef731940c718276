// SPDX-License-Identifier: 0BSD
//
// The calls that -fsanitize=thread puts before every load and store of a kernel: each is an event
// of the running thread.
#include "warps.hpp"

#include "../emulation/watch.hpp"
#include "../watch/text.hpp"

#include <cstring>

extern "C" {
extern char accrs_kernels_begin_text[], accrs_kernels_end_text[];
}

namespace accrs::counts {

namespace {

void record(Access access, const void *pointer, std::size_t bytes, const void *pc)
{
    std::vector<Event> *const events = running.events;
    if (events == nullptr || bytes == 0)
        return;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    Space space = Space::shared;
    if (arena.contains(address))
        space = Space::device;
    else if (!running.shared.contains(address) && !running.dynamic.contains(address))
        return;
    events->push_back({address, watch::site_of(pc), static_cast<std::uint16_t>(bytes), access, space});
}

// Whether a call comes from a kernel, and not from the runtime or the host program.
bool from_kernel(const void *pc)
{
    const auto *at = static_cast<const char *>(pc);
    return running.events != nullptr && at >= accrs_kernels_begin_text && at < accrs_kernels_end_text;
}

} // namespace

} // namespace accrs::counts

namespace accrs::watch {

using namespace counts;

void atomic_access(void *address, std::size_t bytes, const void *pc) { record(Access::atomic, address, bytes, pc); }
void atomic_read(void *address, std::size_t bytes, const void *pc) { record(Access::read, address, bytes, pc); }
void atomic_write(void *address, std::size_t bytes, const void *pc) { record(Access::write, address, bytes, pc); }

} // namespace accrs::watch

using namespace accrs::counts;

#define ACCRS_PC __builtin_return_address(0)
#define ACCRS_ACCESSES(bytes)                                                                  \
    void __tsan_read##bytes(void *p) { record(Access::read, p, bytes, ACCRS_PC); }             \
    void __tsan_write##bytes(void *p) { record(Access::write, p, bytes, ACCRS_PC); }           \
    void __tsan_unaligned_read##bytes(void *p) { record(Access::read, p, bytes, ACCRS_PC); }   \
    void __tsan_unaligned_write##bytes(void *p) { record(Access::write, p, bytes, ACCRS_PC); } \
    void __tsan_volatile_read##bytes(void *p) { record(Access::read, p, bytes, ACCRS_PC); }    \
    void __tsan_volatile_write##bytes(void *p) { record(Access::write, p, bytes, ACCRS_PC); }  \
    void __tsan_read_write##bytes(void *p)                                                      \
    {                                                                                           \
        record(Access::read, p, bytes, ACCRS_PC);                                               \
        record(Access::write, p, bytes, ACCRS_PC);                                              \
    }                                                                                           \
    void __tsan_unaligned_read_write##bytes(void *p)                                            \
    {                                                                                           \
        record(Access::read, p, bytes, ACCRS_PC);                                               \
        record(Access::write, p, bytes, ACCRS_PC);                                              \
    }

extern "C" {

// NOLINTBEGIN: the compiler's names
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
ACCRS_ACCESSES(1)
ACCRS_ACCESSES(2)
ACCRS_ACCESSES(4)
ACCRS_ACCESSES(8)
ACCRS_ACCESSES(16)
void __tsan_read_range(void *p, std::size_t bytes) { record(Access::read, p, bytes, ACCRS_PC); }
void __tsan_write_range(void *p, std::size_t bytes) { record(Access::write, p, bytes, ACCRS_PC); }
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}

// The linker sends every call of these here (--wrap).
void *__real_memcpy(void *to, const void *from, std::size_t bytes);
void *__real_memmove(void *to, const void *from, std::size_t bytes);
void *__real_memset(void *to, int value, std::size_t bytes);

void *__wrap_memcpy(void *to, const void *from, std::size_t bytes)
{
    if (from_kernel(ACCRS_PC)) {
        record(Access::read, from, bytes, ACCRS_PC);
        record(Access::write, to, bytes, ACCRS_PC);
    }
    return __real_memcpy(to, from, bytes);
}

void *__wrap_memmove(void *to, const void *from, std::size_t bytes)
{
    if (from_kernel(ACCRS_PC)) {
        record(Access::read, from, bytes, ACCRS_PC);
        record(Access::write, to, bytes, ACCRS_PC);
    }
    return __real_memmove(to, from, bytes);
}

void *__wrap_memset(void *to, int value, std::size_t bytes)
{
    if (from_kernel(ACCRS_PC))
        record(Access::write, to, bytes, ACCRS_PC);
    return __real_memset(to, value, bytes);
}
// NOLINTEND

} // extern "C"
