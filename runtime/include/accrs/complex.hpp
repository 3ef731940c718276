// SPDX-License-Identifier: 0BSD
//
// `_Complex T` in kernels: the layout and the operators of C, with the recovery of infinities for
// * and / that C's Annex G asks for and GCC does (libgcc's __mulsc3, __divdc3 and their kin).
#ifndef ACCRS_COMPLEX_HPP
#define ACCRS_COMPLEX_HPP

#include "atomic.hpp"
#include "constants.hpp"

#include <cmath>

namespace accrs {

template <class T> struct complex {
    using part = T;

    T re;
    T im;

    // C's conversion from a real to a complex number, and the aggregate's own form.
    complex() = default;
    __host__ __device__ constexpr complex(T real, T imaginary = T(0)) : re(real), im(imaginary) {}
    template <class U>
    __host__ __device__ constexpr complex(complex<U> other) : re(static_cast<T>(other.re)), im(static_cast<T>(other.im))
    {
    }

    // A cast to a real type drops the imaginary part, but for `_Bool`.
    template <class U, class = std::enable_if_t<std::is_arithmetic<U>::value>> explicit __host__ __device__ operator U() const
    {
        return static_cast<U>(re);
    }
    explicit __host__ __device__ operator bool() const { return re != T(0) || im != T(0); }
    __host__ __device__ complex &operator+=(complex b) { return *this = *this + b; }
    __host__ __device__ complex &operator-=(complex b) { return *this = *this - b; }
    __host__ __device__ complex &operator*=(complex b) { return *this = *this * b; }
    __host__ __device__ complex &operator/=(complex b) { return *this = *this / b; }
    __host__ __device__ complex &operator+=(T b) { return *this = *this + b; }
    __host__ __device__ complex &operator-=(T b) { return *this = *this - b; }
    __host__ __device__ complex &operator*=(T b) { return *this = *this * b; }
    __host__ __device__ complex &operator/=(T b) { return *this = *this / b; }

    // GNU C counts the real part up and down.
    __host__ __device__ complex &operator++() { return *this += T(1); }
    __host__ __device__ complex &operator--() { return *this -= T(1); }
    __host__ __device__ complex operator++(int) { return {re++, im}; }
    __host__ __device__ complex operator--(int) { return {re--, im}; }

    friend __host__ __device__ complex operator+(complex a, complex b) { return {a.re + b.re, a.im + b.im}; }
    friend __host__ __device__ complex operator-(complex a, complex b) { return {a.re - b.re, a.im - b.im}; }
    friend __host__ __device__ complex operator+(complex a) { return a; }
    friend __host__ __device__ complex operator-(complex a) { return {-a.re, -a.im}; }
    friend __host__ __device__ complex operator~(complex a) { return {a.re, -a.im}; } // GNU C: conjugate
    friend __host__ __device__ bool operator==(complex a, complex b) { return a.re == b.re && a.im == b.im; }
    friend __host__ __device__ bool operator!=(complex a, complex b) { return !(a == b); }
    // C's mixed forms with a real operand: no zero imaginary part is made up for it.
    friend __host__ __device__ complex operator+(complex a, T b) { return {a.re + b, a.im}; }
    friend __host__ __device__ complex operator+(T a, complex b) { return {a + b.re, b.im}; }
    friend __host__ __device__ complex operator-(complex a, T b) { return {a.re - b, a.im}; }
    friend __host__ __device__ complex operator-(T a, complex b) { return {a - b.re, -b.im}; }
    friend __host__ __device__ complex operator*(complex a, T b) { return {a.re * b, a.im * b}; }
    friend __host__ __device__ complex operator*(T a, complex b) { return {a * b.re, a * b.im}; }
    friend __host__ __device__ complex operator/(complex a, T b) { return {a.re / b, a.im / b}; }
    friend __host__ __device__ complex operator/(T a, complex b) { return complex(a) / b; }
    friend __host__ __device__ complex operator*(complex a, complex b) { return complex::multiply(a, b); }
    friend __host__ __device__ complex operator/(complex a, complex b) { return complex::divide(a, b); }

private:
    // 1 or 0 with x's sign: what an infinite or finite part counts as in a recovery.
    static __host__ __device__ T boxed(T x) { return std::copysign(std::isinf(x) ? T(1) : T(0), x); }
    static __host__ __device__ T zero_for_nan(T x) { return std::isnan(x) ? std::copysign(T(0), x) : x; }

    static __host__ __device__ complex multiply(complex x, complex y)
    {
        const T ac = x.re * y.re, bd = x.im * y.im, ad = x.re * y.im, bc = x.im * y.re;
        const complex product(ac - bd, ad + bc);
        return std::isnan(product.re) && std::isnan(product.im) ? recover_product(x, y, ac, bd, ad, bc, product) : product;
    }

    static __host__ __device__ complex recover_product(complex x, complex y, T ac, T bd, T ad, T bc, complex product)
    {
        bool recalculate = false;
        if (std::isinf(x.re) || std::isinf(x.im)) {
            x = {boxed(x.re), boxed(x.im)};
            y = {zero_for_nan(y.re), zero_for_nan(y.im)};
            recalculate = true;
        }
        if (std::isinf(y.re) || std::isinf(y.im)) {
            y = {boxed(y.re), boxed(y.im)};
            x = {zero_for_nan(x.re), zero_for_nan(x.im)};
            recalculate = true;
        }
        if (!recalculate && (std::isinf(ac) || std::isinf(bd) || std::isinf(ad) || std::isinf(bc))) {
            x = {zero_for_nan(x.re), zero_for_nan(x.im)};
            y = {zero_for_nan(y.re), zero_for_nan(y.im)};
            recalculate = true;
        }
        if (!recalculate)
            return product;
        const T infinity = accrs::infinity<T>();
        return {infinity * (x.re * y.re - x.im * y.im), infinity * (x.re * y.im + x.im * y.re)};
    }

    // Smith's method, as libgcc divides.
    static __host__ __device__ complex divide(complex x, complex y)
    {
        complex quotient;
        if (std::fabs(y.re) < std::fabs(y.im)) {
            const T ratio = y.re / y.im, denominator = y.re * ratio + y.im;
            quotient = {(x.re * ratio + x.im) / denominator, (x.im * ratio - x.re) / denominator};
        } else {
            const T ratio = y.im / y.re, denominator = y.im * ratio + y.re;
            quotient = {(x.im * ratio + x.re) / denominator, (x.im - x.re * ratio) / denominator};
        }
        return std::isnan(quotient.re) && std::isnan(quotient.im) ? recover_quotient(x, y, quotient) : quotient;
    }

    static __host__ __device__ complex recover_quotient(complex x, complex y, complex quotient)
    {
        const T infinity = accrs::infinity<T>();
        if (y.re == T(0) && y.im == T(0) && (!std::isnan(x.re) || !std::isnan(x.im))) {
            const T signed_infinity = std::copysign(infinity, y.re);
            return {signed_infinity * x.re, signed_infinity * x.im};
        }
        if ((std::isinf(x.re) || std::isinf(x.im)) && std::isfinite(y.re) && std::isfinite(y.im)) {
            x = {boxed(x.re), boxed(x.im)};
            return {infinity * (x.re * y.re + x.im * y.im), infinity * (x.im * y.re - x.re * y.im)};
        }
        if ((std::isinf(y.re) || std::isinf(y.im)) && std::isfinite(x.re) && std::isfinite(x.im)) {
            y = {boxed(y.re), boxed(y.im)};
            return {T(0) * (x.re * y.re + x.im * y.im), T(0) * (x.im * y.re - x.re * y.im)};
        }
        return quotient;
    }
};

// `real op= complex`: computed in their common type, converted as by a cast.
template <class R, class T> using complex_of = complex<std::enable_if_t<std::is_arithmetic<R>::value, decltype(R() + T())>>;
template <class R, class T, class C = complex_of<R, T>> __host__ __device__ R &operator+=(R &a, complex<T> b)
{
    return a = static_cast<R>(typename C::part(a) + C(b));
}
template <class R, class T, class C = complex_of<R, T>> __host__ __device__ R &operator-=(R &a, complex<T> b)
{
    return a = static_cast<R>(typename C::part(a) - C(b));
}
template <class R, class T, class C = complex_of<R, T>> __host__ __device__ R &operator*=(R &a, complex<T> b)
{
    return a = static_cast<R>(typename C::part(a) * C(b));
}
template <class R, class T, class C = complex_of<R, T>> __host__ __device__ R &operator/=(R &a, complex<T> b)
{
    return a = static_cast<R>(typename C::part(a) / C(b));
}

// The functions of <complex.h> that kernels may call, for both types.
template <class T> __host__ __device__ constexpr T creal(complex<T> z) { return z.re; }
template <class T> __host__ __device__ constexpr T cimag(complex<T> z) { return z.im; }
template <class T> __host__ __device__ constexpr complex<T> make_complex(T re, T im) { return {re, im}; }
template <class T> __host__ __device__ complex<T> conj(complex<T> z) { return ~z; }
template <class T> __host__ __device__ T cabs(complex<T> z) { return std::hypot(z.re, z.im); }
template <class T> __host__ __device__ T carg(complex<T> z) { return std::atan2(z.im, z.re); }

// With the results for infinities of C's Annex G.6.3.1.
template <class T> __host__ __device__ complex<T> cexp(complex<T> z)
{
    const T size = std::exp(z.re);
    if (z.im == T(0))
        return {size, z.im};
    if (std::isinf(z.re) && !std::isfinite(z.im))
        return z.re < T(0) ? complex<T>(T(0), std::copysign(T(0), z.im)) : complex<T>(size, z.im - z.im);
    return {size * std::cos(z.im), size * std::sin(z.im)};
}

// `x += e` and `x -= e` of a complex number: its parts do not depend on each other. A real `e` leaves
// the imaginary part alone.
template <class Operator, class T, class V> __device__ void atomic_update(volatile complex<T> *address, V value)
{
    atomic_update<Operator>(&address->re, value);
}
template <class Operator, class T, class U> __device__ void atomic_update(volatile complex<T> *address, complex<U> value)
{
    atomic_update<Operator>(&address->re, value.re);
    atomic_update<Operator>(&address->im, value.im);
}

} // namespace accrs

#endif
