// SPDX-License-Identifier: 0BSD
//
// The calls that -fsanitize=thread puts before every load and store of a kernel, and those that the
// linker redirects. One file of each watcher includes this, at its end and outside of namespaces;
// before that it has defined, and made visible by `using namespace`,
//
//   enum class Access                                      with `read` and `write`
//   template <Access, std::size_t> void observe(const void *, const void *pc)      an aligned access
//   void observe_range(Access, const void *, std::size_t, const void *pc)          any other
//   bool in_kernel()                                       whether this OS thread runs a kernel
//   bool watches_host                                      whether accesses of the host are observed
//   void frame_ends(const void *)                          a function of the host program ends, with
//                                                          the caller's frame there
#ifndef ACCRS_WATCH_CALLS_HPP
#define ACCRS_WATCH_CALLS_HPP

#include <cstddef>

extern "C" {
extern char accrs_kernels_begin_text[], accrs_kernels_end_text[];
}

// Whether a call is one to observe, and not the runtime's, which is linked last.
static bool accrs_is_observed(const void *pc)
{
    const auto *at = static_cast<const char *>(pc);
    return at < accrs_kernels_end_text && (in_kernel() ? at >= accrs_kernels_begin_text : watches_host);
}

#define ACCRS_PC __builtin_return_address(0)
#define ACCRS_ACCESSES(bytes)                                                                      \
    void __tsan_read##bytes(void *p) { observe<Access::read, bytes>(p, ACCRS_PC); }                  \
    void __tsan_write##bytes(void *p) { observe<Access::write, bytes>(p, ACCRS_PC); }                \
    void __tsan_unaligned_read##bytes(void *p) { observe_range(Access::read, p, bytes, ACCRS_PC); }   \
    void __tsan_unaligned_write##bytes(void *p) { observe_range(Access::write, p, bytes, ACCRS_PC); } \
    void __tsan_volatile_read##bytes(void *p) { observe<Access::read, bytes>(p, ACCRS_PC); }         \
    void __tsan_volatile_write##bytes(void *p) { observe<Access::write, bytes>(p, ACCRS_PC); }       \
    void __tsan_read_write##bytes(void *p)                                                          \
    {                                                                                               \
        observe<Access::read, bytes>(p, ACCRS_PC);                                                    \
        observe<Access::write, bytes>(p, ACCRS_PC);                                                   \
    }                                                                                               \
    void __tsan_unaligned_read_write##bytes(void *p)                                                \
    {                                                                                               \
        observe_range(Access::read, p, bytes, ACCRS_PC);                                              \
        observe_range(Access::write, p, bytes, ACCRS_PC);                                             \
    }

extern "C" {

// NOLINTBEGIN: the compiler's names
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit()
{
    frame_ends(__builtin_frame_address(0));
}
ACCRS_ACCESSES(1)
ACCRS_ACCESSES(2)
ACCRS_ACCESSES(4)
ACCRS_ACCESSES(8)
ACCRS_ACCESSES(16)
void __tsan_read_range(void *p, std::size_t bytes) { observe_range(Access::read, p, bytes, ACCRS_PC); }
void __tsan_write_range(void *p, std::size_t bytes) { observe_range(Access::write, p, bytes, ACCRS_PC); }
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}

// The linker sends every call of these here (--wrap).
void *__real_memcpy(void *to, const void *from, std::size_t bytes);
void *__real_memmove(void *to, const void *from, std::size_t bytes);
void *__real_memset(void *to, int value, std::size_t bytes);

void *__wrap_memcpy(void *to, const void *from, std::size_t bytes)
{
    if (accrs_is_observed(ACCRS_PC)) {
        observe_range(Access::read, from, bytes, ACCRS_PC);
        observe_range(Access::write, to, bytes, ACCRS_PC);
    }
    return __real_memcpy(to, from, bytes);
}

void *__wrap_memmove(void *to, const void *from, std::size_t bytes)
{
    if (accrs_is_observed(ACCRS_PC)) {
        observe_range(Access::read, from, bytes, ACCRS_PC);
        observe_range(Access::write, to, bytes, ACCRS_PC);
    }
    return __real_memmove(to, from, bytes);
}

void *__wrap_memset(void *to, int value, std::size_t bytes)
{
    if (accrs_is_observed(ACCRS_PC))
        observe_range(Access::write, to, bytes, ACCRS_PC);
    return __real_memset(to, value, bytes);
}
// NOLINTEND

} // extern "C"

#undef ACCRS_ACCESSES
#undef ACCRS_PC

#endif
