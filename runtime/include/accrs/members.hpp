// SPDX-License-Identifier: 0BSD
//
// Reductions of structs, member by member (OpenACC 3.3, 2.5.15). The generated file has overloads of
// set_members and combine_members for its structs, which name their members; these are for the rest.
#ifndef ACCRS_MEMBERS_HPP
#define ACCRS_MEMBERS_HPP

#include "operators.hpp"

#include <cstddef>

namespace accrs {

template <class Op, class T> __host__ __device__ void set_members(Op, T &member)
{
    member = Op::template identity<T>();
}

template <class Op, class T> __host__ __device__ void combine_members(Op, T &member, const T &other)
{
    member = Op::template apply<T>(member, other);
}

template <class Op, class T, std::size_t n> __host__ __device__ void set_members(Op op, T (&members)[n])
{
    for (T &member : members)
        set_members(op, member);
}

template <class Op, class T, std::size_t n>
__host__ __device__ void combine_members(Op op, T (&members)[n], const T (&others)[n])
{
    for (std::size_t k = 0; k < n; ++k)
        combine_members(op, members[k], others[k]);
}

// An operator on all members of a struct.
template <class Op> struct Memberwise {
    template <class T> static __host__ __device__ T identity()
    {
        T value{};
        set_members(Op(), value);
        return value;
    }
    template <class T> static __host__ __device__ T apply(T a, T b)
    {
        combine_members(Op(), a, b);
        return a;
    }
};

} // namespace accrs

#endif
