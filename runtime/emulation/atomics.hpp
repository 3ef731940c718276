// SPDX-License-Identifier: 0BSD
//
// CUDA's atomic functions for the types that CUDA has them for. Blocks run in parallel, so these
// are real atomics; like CUDA's they order nothing else.
#ifndef ACCRS_EMULATION_ATOMICS_HPP
#define ACCRS_EMULATION_ATOMICS_HPP

#include <type_traits>

namespace accrs::emulation {

template <class T, class... Types> constexpr bool one_of = (std::is_same<T, Types>::value || ...);

template <class T> constexpr bool atomic_integer = one_of<T, int, unsigned, unsigned long long>;

// Keeps the value's type out of deduction: atomicAdd(&counter, 1) on an unsigned counter.
template <class T> struct Identity {
    using type = T;
};
template <class T> using Value = typename Identity<T>::type;

template <class T, class Update> T atomic_update(T *address, Update update)
{
    T old;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    for (;;) {
        T wanted = update(old);
        if (__atomic_compare_exchange(address, &old, &wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return old;
    }
}

// Objects that no processor exchanges at once (long double): all of them under one lock, which is
// held for a few instructions and never across a change of fibers.
inline bool update_lock = false;

template <class T, class Update> T locked_update(T *address, Update update)
{
    while (__atomic_test_and_set(&update_lock, __ATOMIC_ACQUIRE)) {
    }
    const T old = *address;
    *address = update(old);
    __atomic_clear(&update_lock, __ATOMIC_RELEASE);
    return old;
}

} // namespace accrs::emulation

// NOLINTBEGIN: CUDA's names
template <class T> T atomicAdd(T *address, accrs::emulation::Value<T> value)
{
    static_assert(accrs::emulation::atomic_integer<T> || accrs::emulation::one_of<T, float, double>,
                  "CUDA has no atomicAdd for this type");
    if constexpr (std::is_integral<T>::value)
        return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
    else
        return accrs::emulation::atomic_update(address, [value](T old) { return old + value; });
}

template <class T> T atomicSub(T *address, accrs::emulation::Value<T> value)
{
    static_assert(accrs::emulation::one_of<T, int, unsigned>, "CUDA has no atomicSub for this type");
    return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}

template <class T> T atomicExch(T *address, accrs::emulation::Value<T> value)
{
    static_assert(accrs::emulation::atomic_integer<T> || accrs::emulation::one_of<T, float>,
                  "CUDA has no atomicExch for this type");
    T old;
    __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);
    return old;
}

template <class T> T atomicMin(T *address, accrs::emulation::Value<T> value)
{
    static_assert(accrs::emulation::atomic_integer<T> || accrs::emulation::one_of<T, long long>,
                  "CUDA has no atomicMin for this type");
    return accrs::emulation::atomic_update(address, [value](T old) { return value < old ? value : old; });
}

template <class T> T atomicMax(T *address, accrs::emulation::Value<T> value)
{
    static_assert(accrs::emulation::atomic_integer<T> || accrs::emulation::one_of<T, long long>,
                  "CUDA has no atomicMax for this type");
    return accrs::emulation::atomic_update(address, [value](T old) { return value > old ? value : old; });
}

template <class T> T atomicAnd(T *address, accrs::emulation::Value<T> value)
{
    static_assert(accrs::emulation::atomic_integer<T>, "CUDA has no atomicAnd for this type");
    return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);
}

template <class T> T atomicOr(T *address, accrs::emulation::Value<T> value)
{
    static_assert(accrs::emulation::atomic_integer<T>, "CUDA has no atomicOr for this type");
    return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);
}

template <class T> T atomicXor(T *address, accrs::emulation::Value<T> value)
{
    static_assert(accrs::emulation::atomic_integer<T>, "CUDA has no atomicXor for this type");
    return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);
}

template <class T> T atomicCAS(T *address, accrs::emulation::Value<T> expected, accrs::emulation::Value<T> value)
{
    // A byte is not CUDA's: accrs::atomic goes through the word around it there.
    static_assert(accrs::emulation::atomic_integer<T> || accrs::emulation::one_of<T, unsigned short, unsigned char>,
                  "CUDA has no atomicCAS for this type");
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

inline unsigned atomicInc(unsigned *address, unsigned limit)
{
    return accrs::emulation::atomic_update(address, [limit](unsigned old) { return old >= limit ? 0u : old + 1u; });
}

inline unsigned atomicDec(unsigned *address, unsigned limit)
{
    return accrs::emulation::atomic_update(address, [limit](unsigned old) { return old == 0 || old > limit ? limit : old - 1u; });
}
// NOLINTEND

#endif
