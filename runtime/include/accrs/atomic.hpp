// SPDX-License-Identifier: 0BSD
//
// Atomic accesses (OpenACC 3.3, 2.12) that CUDA has no function of its own for: other types, other
// operators, and the value after an update. Like CUDA's they order nothing else.
#ifndef ACCRS_ATOMIC_HPP
#define ACCRS_ATOMIC_HPP

#include "cuda.hpp"

#include <cstring>
#include <type_traits>

namespace accrs {

// C's operators: the operands are converted as C does, and the caller converts the result.
struct Add {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return a + b; }
};
struct Subtract {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return a - b; }
};
struct Multiply {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return a * b; }
};
struct Divide {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return a / b; }
};
struct Remainder {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return a % b; }
};
struct And {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return a & b; }
};
struct Or {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return a | b; }
};
struct Xor {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return a ^ b; }
};
struct ShiftLeft {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return a << b; }
};
struct ShiftRight {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return a >> b; }
};

// `e op x` in place of `x op e`.
template <class Operator> struct Reversed {
    template <class A, class B> static __host__ __device__ auto apply(A a, B b) { return Operator::apply(b, a); }
};

namespace atomic {

// The unsigned type of a size in bytes; void where no processor exchanges that many at once.
template <std::size_t size> struct Word {
    using type = void;
};
template <> struct Word<1> {
    using type = unsigned char;
};
template <> struct Word<2> {
    using type = unsigned short;
};
template <> struct Word<4> {
    using type = unsigned;
};
template <> struct Word<8> {
    using type = unsigned long long;
};
template <class T> using WordOf = typename Word<sizeof(T)>::type;

template <class To, class From> __device__ To same_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the bits of one value are those of the other");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

#if !ACCRS_EMULATED
// Returns what was there; the exchange happened if that is what was expected.
template <class W> __device__ W compare_exchange(W *word, W expected, W wanted)
{
    if constexpr (sizeof(W) == 1) {
        // The byte's word has three neighbours, which stay as they are at that moment.
        const auto address = reinterpret_cast<std::size_t>(word);
        auto *around = reinterpret_cast<unsigned *>(address & ~std::size_t(3));
        const unsigned shift = (address & 3) * 8;
        for (unsigned seen = *static_cast<volatile unsigned *>(around);;) {
            const W byte = static_cast<W>(seen >> shift);
            if (byte != expected)
                return byte;
            const unsigned next = (seen & ~(0xffu << shift)) | static_cast<unsigned>(wanted) << shift;
            const unsigned found = atomicCAS(around, seen, next);
            if (found == seen)
                return expected;
            seen = found;
        }
    } else {
        return atomicCAS(word, expected, wanted);
    }
}
#endif

template <class W> __device__ W load(W *word)
{
#if ACCRS_EMULATED
    return emulation::atomic_load(word);
#else
    return *static_cast<volatile W *>(word);
#endif
}

// Replaces the value by what `next` makes of it; returns the one from before.
template <class T, class Next> __device__ T change(T *address, Next next)
{
    using W = WordOf<T>;
    if constexpr (!std::is_void<W>::value) {
        auto *word = reinterpret_cast<W *>(address);
#if ACCRS_EMULATED
        return same_bits<T>(
            emulation::atomic_change(word, [&](W seen) { return same_bits<W>(next(same_bits<T>(seen))); }));
#else
        for (W seen = load(word);;) {
            const T old = same_bits<T>(seen);
            const W found = compare_exchange(word, seen, same_bits<W>(next(old)));
            if (found == seen)
                return old;
            seen = found;
        }
#endif
    } else {
#if ACCRS_EMULATED
        return accrs::emulation::locked_update(address, next); // long double
#else
        static_assert(sizeof(T) <= 8, "no GPU exchanges so many bytes at once");
#endif
    }
}

// Whether CUDA's functions do it: sums, differences and bits of whole words, sums of floating point.
template <class Operator, class T, class V> __host__ __device__ constexpr bool is_direct()
{
    constexpr bool bits = std::is_same<Operator, And>::value || std::is_same<Operator, Or>::value ||
                          std::is_same<Operator, Xor>::value;
    constexpr bool sum = std::is_same<Operator, Add>::value || std::is_same<Operator, Subtract>::value;
    if constexpr (std::is_integral<T>::value && std::is_integral<V>::value)
        return (bits || sum) && (sizeof(T) == 4 || sizeof(T) == 8);
    else if constexpr (std::is_same<T, float>::value || std::is_same<T, double>::value)
        return sum && std::is_same<decltype(Operator::apply(T(), V())), T>::value;
    else
        return false;
}

template <class Operator, class T, class V> __device__ T direct(T *address, V value)
{
    if constexpr (std::is_floating_point<T>::value) {
        const T addend = static_cast<T>(value);
        return atomicAdd(address, std::is_same<Operator, Subtract>::value ? -addend : addend);
    } else {
        using W = WordOf<T>;
        auto *word = reinterpret_cast<W *>(address);
        const W operand = static_cast<W>(static_cast<T>(value));
        if constexpr (std::is_same<Operator, Add>::value)
            return static_cast<T>(atomicAdd(word, operand));
        else if constexpr (std::is_same<Operator, Subtract>::value)
            return static_cast<T>(atomicAdd(word, W(0) - operand));
        else if constexpr (std::is_same<Operator, And>::value)
            return static_cast<T>(atomicAnd(word, operand));
        else if constexpr (std::is_same<Operator, Or>::value)
            return static_cast<T>(atomicOr(word, operand));
        else
            return static_cast<T>(atomicXor(word, operand));
    }
}

} // namespace atomic

template <class T> __device__ T atomic_load(const volatile T *address)
{
    auto *object = const_cast<T *>(address);
    if constexpr (std::is_void<atomic::WordOf<T>>::value)
        return atomic::change(object, [](T old) { return old; });
    else
        return atomic::same_bits<T>(atomic::load(reinterpret_cast<atomic::WordOf<T> *>(object)));
}

template <class T, class V> __device__ T atomic_exchange(volatile T *address, V value)
{
    const T wanted = static_cast<T>(value);
    return atomic::change(const_cast<T *>(address), [wanted](T) { return wanted; });
}

template <class T, class V> __device__ void atomic_store(volatile T *address, V value)
{
#if ACCRS_EMULATED
    emulation::atomic_overwrites(const_cast<T *>(address));
    atomic_exchange(address, value);
#else
    *address = static_cast<T>(value); // one access of at most 8 bytes
#endif
}

// `x = x op e`; returns the value from before.
template <class Operator, class T, class V> __device__ T atomic_update(volatile T *address, V value)
{
    auto *object = const_cast<T *>(address);
    if constexpr (atomic::is_direct<Operator, T, V>())
        return atomic::direct<Operator>(object, value);
    else
        return atomic::change(object, [value](T old) { return static_cast<T>(Operator::apply(old, value)); });
}

// `x = x op e`; returns the value from after.
template <class Operator, class T, class V> __device__ T atomic_update_after(volatile T *address, V value)
{
    return static_cast<T>(Operator::apply(atomic_update<Operator>(address, value), value));
}

} // namespace accrs

#endif
