// SPDX-License-Identifier: 0BSD
//
// CUDA's atomic functions for the types that CUDA has them for. Blocks run in parallel, so these
// are real atomics; like CUDA's they order nothing else.
#ifndef ACCRS_EMULATION_ATOMICS_HPP
#define ACCRS_EMULATION_ATOMICS_HPP

#include "watch.hpp"

#include <type_traits>

namespace accrs::emulation {

template <class T, class... Types> constexpr bool one_of = (std::is_same<T, Types>::value || ...);

template <class T> constexpr bool atomic_integer = one_of<T, int, unsigned, unsigned long long>;

// Keeps the value's type out of deduction: atomicAdd(&counter, 1) on an unsigned counter.
template <class T> struct Identity {
    using type = T;
};
template <class T> using Value = typename Identity<T>::type;

template <class T, class Update> ACCRS_UNCHECKED T atomic_update(T *address, Update update)
{
    T old;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    for (;;) {
        T wanted = update(old);
        if (__atomic_compare_exchange(address, &old, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return old;
    }
}

// One access, however often it is tried: counts do not depend on the order of blocks.
template <class T, class Update> ACCRS_UNCHECKED T atomic_change(T *address, Update update)
{
    ACCRS_ATOMIC(address);
    return atomic_update(address, update);
}

// Objects that no processor exchanges at once (long double): all of them under one lock, which is
// held for a few instructions and never across a change of fibers.
inline bool update_lock = false;

template <class T, class Update> ACCRS_UNCHECKED T locked_update(T *address, Update update)
{
    ACCRS_ATOMIC(address);
    while (__atomic_test_and_set(&update_lock, __ATOMIC_ACQUIRE)) {
    }
    const T old = *address;
    *address = update(old);
    __atomic_clear(&update_lock, __ATOMIC_RELEASE);
    return old;
}

template <class T> ACCRS_UNCHECKED T atomic_load(T *address)
{
    ACCRS_ATOMIC_READ(address);
    return __atomic_load_n(address, __ATOMIC_RELAXED);
}

// Tells the checks that what is there now is not used.
template <class T> ACCRS_UNCHECKED void atomic_overwrites(T *address)
{
    ACCRS_ATOMIC_WRITE(address);
    static_cast<void>(address);
}

} // namespace accrs::emulation

// NOLINTBEGIN: CUDA's names
template <class T> ACCRS_UNCHECKED T atomicAdd(T *address, accrs::emulation::Value<T> value)
{
    ACCRS_ATOMIC(address);
    static_assert(accrs::emulation::atomic_integer<T> || accrs::emulation::one_of<T, float, double>,
                  "CUDA has no atomicAdd for this type");
    if constexpr (std::is_integral<T>::value)
        return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
    else
        return accrs::emulation::atomic_update(address, [value](T old) ACCRS_UNCHECKED { return old + value; });
}

template <class T> ACCRS_UNCHECKED T atomicSub(T *address, accrs::emulation::Value<T> value)
{
    ACCRS_ATOMIC(address);
    static_assert(accrs::emulation::one_of<T, int, unsigned>, "CUDA has no atomicSub for this type");
    return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}

template <class T> ACCRS_UNCHECKED T atomicExch(T *address, accrs::emulation::Value<T> value)
{
    ACCRS_ATOMIC(address);
    static_assert(accrs::emulation::atomic_integer<T> || accrs::emulation::one_of<T, float>,
                  "CUDA has no atomicExch for this type");
    T old;
    __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
    return old;
}

template <class T> ACCRS_UNCHECKED T atomicMin(T *address, accrs::emulation::Value<T> value)
{
    ACCRS_ATOMIC(address);
    static_assert(accrs::emulation::atomic_integer<T> || accrs::emulation::one_of<T, long long>,
                  "CUDA has no atomicMin for this type");
    return accrs::emulation::atomic_update(address, [value](T old) ACCRS_UNCHECKED { return value < old ? value : old; });
}

template <class T> ACCRS_UNCHECKED T atomicMax(T *address, accrs::emulation::Value<T> value)
{
    ACCRS_ATOMIC(address);
    static_assert(accrs::emulation::atomic_integer<T> || accrs::emulation::one_of<T, long long>,
                  "CUDA has no atomicMax for this type");
    return accrs::emulation::atomic_update(address, [value](T old) ACCRS_UNCHECKED { return value > old ? value : old; });
}

template <class T> ACCRS_UNCHECKED T atomicAnd(T *address, accrs::emulation::Value<T> value)
{
    ACCRS_ATOMIC(address);
    static_assert(accrs::emulation::atomic_integer<T>, "CUDA has no atomicAnd for this type");
    return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}

template <class T> ACCRS_UNCHECKED T atomicOr(T *address, accrs::emulation::Value<T> value)
{
    ACCRS_ATOMIC(address);
    static_assert(accrs::emulation::atomic_integer<T>, "CUDA has no atomicOr for this type");
    return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}

template <class T> ACCRS_UNCHECKED T atomicXor(T *address, accrs::emulation::Value<T> value)
{
    ACCRS_ATOMIC(address);
    static_assert(accrs::emulation::atomic_integer<T>, "CUDA has no atomicXor for this type");
    return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}

template <class T> ACCRS_UNCHECKED T atomicCAS(T *address, accrs::emulation::Value<T> expected, accrs::emulation::Value<T> value)
{
    ACCRS_ATOMIC(address);
    // A byte is not CUDA's: accrs::atomic goes through the word around it there.
    static_assert(accrs::emulation::atomic_integer<T> || accrs::emulation::one_of<T, unsigned short, unsigned char>,
                  "CUDA has no atomicCAS for this type");
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

ACCRS_UNCHECKED inline unsigned atomicInc(unsigned *address, unsigned limit)
{
    ACCRS_ATOMIC(address);
    return accrs::emulation::atomic_update(address, [limit](unsigned old) ACCRS_UNCHECKED { return old >= limit ? 0u : old + 1u; });
}

ACCRS_UNCHECKED inline unsigned atomicDec(unsigned *address, unsigned limit)
{
    ACCRS_ATOMIC(address);
    return accrs::emulation::atomic_update(address, [limit](unsigned old) ACCRS_UNCHECKED { return old == 0 || old > limit ? limit : old - 1u; });
}
// All memory is coherent here: operations for a block or for all devices are the others.
#define ACCRS_ATOMIC_SCOPES(name)                                                                             \
    template <class T> ACCRS_UNCHECKED T name##_block(T *address, accrs::emulation::Value<T> value)           \
    {                                                                                                         \
        return name(address, value);                                                                          \
    }                                                                                                         \
    template <class T> ACCRS_UNCHECKED T name##_system(T *address, accrs::emulation::Value<T> value)          \
    {                                                                                                         \
        return name(address, value);                                                                          \
    }

ACCRS_ATOMIC_SCOPES(atomicAdd)
ACCRS_ATOMIC_SCOPES(atomicExch)
ACCRS_ATOMIC_SCOPES(atomicMin)
ACCRS_ATOMIC_SCOPES(atomicMax)
#undef ACCRS_ATOMIC_SCOPES
// NOLINTEND

#endif
