// SPDX-License-Identifier: 0BSD
//
// What -fsanitize=thread makes of atomic operations of a CUDA file's host program, locks of static
// variables among them. Those of kernels are the emulation's own, which tell of themselves.
#include <cstdint>

// Stronger orders than asked for are right as well.
#define ACCRS_ORDER __ATOMIC_SEQ_CST
#define ACCRS_UPDATE(bits, name)                                                                                   \
    std::uint##bits##_t __tsan_atomic##bits##_##name(volatile std::uint##bits##_t *object, std::uint##bits##_t value, int) \
    {                                                                                                              \
        return __atomic_##name(object, value, ACCRS_ORDER);                                                        \
    }
#define ACCRS_EXCHANGE_IF(bits, strength, is_weak)                                                                 \
    int __tsan_atomic##bits##_compare_exchange_##strength(volatile std::uint##bits##_t *object,                    \
                                                          std::uint##bits##_t *expected, std::uint##bits##_t value, int, int) \
    {                                                                                                              \
        return __atomic_compare_exchange_n(object, expected, value, is_weak, ACCRS_ORDER, ACCRS_ORDER);            \
    }
#define ACCRS_ATOMICS(bits)                                                                                        \
    std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t *object, int)                \
    {                                                                                                              \
        return __atomic_load_n(object, ACCRS_ORDER);                                                               \
    }                                                                                                              \
    void __tsan_atomic##bits##_store(volatile std::uint##bits##_t *object, std::uint##bits##_t value, int)         \
    {                                                                                                              \
        __atomic_store_n(object, value, ACCRS_ORDER);                                                              \
    }                                                                                                              \
    std::uint##bits##_t __tsan_atomic##bits##_exchange(volatile std::uint##bits##_t *object, std::uint##bits##_t value, int) \
    {                                                                                                              \
        return __atomic_exchange_n(object, value, ACCRS_ORDER);                                                    \
    }                                                                                                              \
    ACCRS_UPDATE(bits, fetch_add)                                                                                  \
    ACCRS_UPDATE(bits, fetch_sub)                                                                                  \
    ACCRS_UPDATE(bits, fetch_and)                                                                                  \
    ACCRS_UPDATE(bits, fetch_or)                                                                                   \
    ACCRS_UPDATE(bits, fetch_xor)                                                                                  \
    ACCRS_UPDATE(bits, fetch_nand)                                                                                 \
    ACCRS_EXCHANGE_IF(bits, strong, false)                                                                         \
    ACCRS_EXCHANGE_IF(bits, weak, true)

extern "C" {

// NOLINTBEGIN: the compiler's names
ACCRS_ATOMICS(8)
ACCRS_ATOMICS(16)
ACCRS_ATOMICS(32)
ACCRS_ATOMICS(64)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(ACCRS_ORDER); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(ACCRS_ORDER); }
// NOLINTEND

} // extern "C"
