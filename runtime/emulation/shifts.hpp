// SPDX-License-Identifier: 0BSD
//
// Shifts as a GPU makes them: by as many places as a value has bits, or more, everything is shifted
// out. The count is an unsigned number of 32 bits (PTX: shl, shr). A CPU takes it modulo the width.
// Device code that a person wrote comes here, whatever the types of its operands are:
//
//     a << b      a << __accrs_shift << b
//     a <<= b     a <<= __accrs_shift_by = b
//
// Both have the precedence and the associativity of what they stand for. In `#if` the name is 0.
#ifndef ACCRS_EMULATION_SHIFTS_HPP
#define ACCRS_EMULATION_SHIFTS_HPP

#include "watch.hpp"

#include <type_traits>
#include <utility>

#define ACCRS_SHIFTS constexpr __attribute__((always_inline)) inline

namespace accrs::emulation::shifts {

#if ACCRS_CHECKED
// A kernel shifts a value of so many bits by so many places.
template <class Count> ACCRS_SHIFTS void check(unsigned bits, Count count)
{
    if (static_cast<unsigned>(count) >= bits && !__builtin_is_constant_evaluated())
        watch::shifted_out(bits, static_cast<unsigned long long>(count), count < Count());
}
#else
template <class Count> ACCRS_SHIFTS void check(unsigned, Count) {}
#endif

// All bits, or none. Compilers keep it where a loop's count stays the same.
template <class Value> ACCRS_SHIFTS Value mask(bool all)
{
    return static_cast<Value>(-static_cast<Value>(all));
}

template <class Value, class Count> ACCRS_SHIFTS Value left(Value value, Count count)
{
    constexpr unsigned bits = 8 * sizeof(Value);
    const unsigned places = static_cast<unsigned>(count);
    check(bits, count);
    return static_cast<Value>((value << (places & (bits - 1))) & mask<Value>(places < bits));
}

template <class Value, class Count> ACCRS_SHIFTS Value right(Value value, Count count)
{
    constexpr unsigned bits = 8 * sizeof(Value);
    const unsigned places = static_cast<unsigned>(count);
    check(bits, count);
    if (static_cast<Value>(-1) < Value()) // the sign is left
        return static_cast<Value>(value >> (places < bits ? places : bits - 1));
    return static_cast<Value>((value >> (places & (bits - 1))) & mask<Value>(places < bits));
}

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

template <class T> using Plain = std::remove_cv_t<std::remove_reference_t<T>>;
template <class T>
constexpr bool is_integer = std::is_integral<Plain<T>>::value || std::is_same<Plain<T>, Wide>::value ||
                            std::is_same<Plain<T>, UnsignedWide>::value;

// Whether the program has an operator of its own for these.
#define ACCRS_HAS_OPERATOR(name, op)                                           \
    template <class L, class R, class = void> struct name##Member : std::false_type {}; \
    template <class L, class R>                                                \
    struct name##Member<L, R, std::void_t<decltype(std::declval<L>().operator op(std::declval<R>()))>> : std::true_type {}; \
    template <class L, class R, class = void> struct name##Free : std::false_type {}; \
    template <class L, class R>                                                \
    struct name##Free<L, R, std::void_t<decltype(operator op(std::declval<L>(), std::declval<R>()))>> : std::true_type {}; \
    template <class L, class R> constexpr bool name = name##Member<L, R>::value || name##Free<L, R>::value;

// So that the lookup of `operator<<(…)` below is by the arguments alone.
struct Nothing {};
void operator<<(Nothing, Nothing);
void operator>>(Nothing, Nothing);
ACCRS_HAS_OPERATOR(overloads_left, <<)
ACCRS_HAS_OPERATOR(overloads_right, >>)
#undef ACCRS_HAS_OPERATOR

// `a <<` of a value as C promotes it. Counts are taken by value, as bit-fields have to be.
#define ACCRS_SHIFT_BY(type)                                                   \
    ACCRS_SHIFTS Value operator<<(type count) const { return left(value, count); } \
    ACCRS_SHIFTS Value operator>>(type count) const { return right(value, count); }

template <class Value> struct Shifted {
    Value value;

    ACCRS_SHIFT_BY(int)
    ACCRS_SHIFT_BY(unsigned)
    ACCRS_SHIFT_BY(long)
    ACCRS_SHIFT_BY(unsigned long)
    ACCRS_SHIFT_BY(long long)
    ACCRS_SHIFT_BY(unsigned long long)

    template <class R, class = std::enable_if_t<std::is_class<Plain<R>>::value || std::is_union<Plain<R>>::value>>
    ACCRS_SHIFTS decltype(auto) operator<<(R &&count) const
    {
        if constexpr (overloads_left<Value, R>)
            return value << static_cast<R &&>(count);
        else
            return left(value, static_cast<long long>(static_cast<R &&>(count)));
    }
    template <class R, class = std::enable_if_t<std::is_class<Plain<R>>::value || std::is_union<Plain<R>>::value>>
    ACCRS_SHIFTS decltype(auto) operator>>(R &&count) const
    {
        if constexpr (overloads_right<Value, R>)
            return value >> static_cast<R &&>(count);
        else
            return right(value, static_cast<long long>(static_cast<R &&>(count)));
    }
};
#undef ACCRS_SHIFT_BY

// `a <<` of an enumeration or an object: the program's own operator, or the integer that it becomes.
template <class L> struct Other {
    L value;

    template <class R, class = std::enable_if_t<is_integer<R>>> ACCRS_SHIFTS decltype(auto) operator<<(R count)
    {
        using Result = decltype(static_cast<L>(value) << count);
        if constexpr (overloads_left<L, R>)
            return static_cast<L>(value) << count;
        else
            return left(static_cast<Result>(static_cast<L>(value)), count);
    }
    template <class R, class = std::enable_if_t<is_integer<R>>> ACCRS_SHIFTS decltype(auto) operator>>(R count)
    {
        using Result = decltype(static_cast<L>(value) >> count);
        if constexpr (overloads_right<L, R>)
            return static_cast<L>(value) >> count;
        else
            return right(static_cast<Result>(static_cast<L>(value)), count);
    }
    template <class R, class = std::enable_if_t<!is_integer<R>>, class = void>
    ACCRS_SHIFTS decltype(auto) operator<<(R &&count)
    {
        return static_cast<L>(value) << static_cast<R &&>(count);
    }
    template <class R, class = std::enable_if_t<!is_integer<R>>, class = void>
    ACCRS_SHIFTS decltype(auto) operator>>(R &&count)
    {
        return static_cast<L>(value) >> static_cast<R &&>(count);
    }
};

// By reference, so that these operators win over a template of the program that takes anything by
// `const T &`.
struct Mark {};

// These parameters are the types that C's promotions end in.
#define ACCRS_SHIFT_OF(type)                                                   \
    ACCRS_SHIFTS Shifted<type> operator<<(type value, Mark &) { return {value}; } \
    ACCRS_SHIFTS Shifted<type> operator>>(type value, Mark &) { return {value}; }
ACCRS_SHIFT_OF(int)
ACCRS_SHIFT_OF(unsigned)
ACCRS_SHIFT_OF(long)
ACCRS_SHIFT_OF(unsigned long)
ACCRS_SHIFT_OF(long long)
ACCRS_SHIFT_OF(unsigned long long)
ACCRS_SHIFT_OF(Wide)
ACCRS_SHIFT_OF(UnsignedWide)
#undef ACCRS_SHIFT_OF

template <class L>
constexpr bool is_other = std::is_enum<Plain<L>>::value || std::is_class<Plain<L>>::value || std::is_union<Plain<L>>::value;

template <class L, class = std::enable_if_t<is_other<L>>> ACCRS_SHIFTS Other<L &&> operator<<(L &&value, Mark &)
{
    return {static_cast<L &&>(value)};
}
template <class L, class = std::enable_if_t<is_other<L>>> ACCRS_SHIFTS Other<L &&> operator>>(L &&value, Mark &)
{
    return {static_cast<L &&>(value)};
}

// The count of `a <<= count`.
template <class R> struct Count {
    R value;

    ACCRS_SHIFTS operator R() const { return static_cast<R>(value); } // NOLINT: implicit
};

struct By {
    ACCRS_SHIFTS Count<int> operator=(int count) const { return {count}; } // NOLINT: no assignment
    ACCRS_SHIFTS Count<unsigned> operator=(unsigned count) const { return {count}; } // NOLINT
    ACCRS_SHIFTS Count<long> operator=(long count) const { return {count}; } // NOLINT
    ACCRS_SHIFTS Count<unsigned long> operator=(unsigned long count) const { return {count}; } // NOLINT
    ACCRS_SHIFTS Count<long long> operator=(long long count) const { return {count}; } // NOLINT
    ACCRS_SHIFTS Count<unsigned long long> operator=(unsigned long long count) const { return {count}; } // NOLINT
    template <class R, class = std::enable_if_t<std::is_class<Plain<R>>::value || std::is_union<Plain<R>>::value>>
    ACCRS_SHIFTS Count<R &&> operator=(R &&count) const // NOLINT
    {
        return {static_cast<R &&>(count)};
    }
};

// Of a volatile one its new value: a reference that no code uses is a warning of g++.
template <class L, class Value> ACCRS_SHIFTS decltype(auto) assign(L &&variable, Value value)
{
    const auto now = static_cast<Plain<L>>(value);
    variable = now;
    if constexpr (std::is_volatile<std::remove_reference_t<L>>::value)
        return now;
    else
        return static_cast<L &&>(variable);
}

template <class L, class R> ACCRS_SHIFTS decltype(auto) operator<<=(L &&value, Count<R> count)
{
    if constexpr (is_integer<L> && is_integer<R>)
        return assign(static_cast<L &&>(value), left(+value, count.value));
    else
        return static_cast<L &&>(value) <<= static_cast<R>(count.value);
}
template <class L, class R> ACCRS_SHIFTS decltype(auto) operator>>=(L &&value, Count<R> count)
{
    if constexpr (is_integer<L> && is_integer<R>)
        return assign(static_cast<L &&>(value), right(+value, count.value));
    else
        return static_cast<L &&>(value) >>= static_cast<R>(count.value);
}

} // namespace accrs::emulation::shifts

// NOLINTBEGIN: reserved names, as no program has them
inline accrs::emulation::shifts::Mark __accrs_shift;
inline constexpr accrs::emulation::shifts::By __accrs_shift_by;
// NOLINTEND

#undef ACCRS_SHIFTS

#endif
