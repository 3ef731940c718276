// SPDX-License-Identifier: 0BSD
//
// Accesses of 4, 8 or 16 bytes, whatever is there, each in one piece: as a GPU makes them, and as
// watchers are to see them.
#ifndef ACCRS_EMULATION_WORDS_HPP
#define ACCRS_EMULATION_WORDS_HPP

#include <cstddef>

namespace accrs::emulation {

template <std::size_t bytes> struct Word;
template <> struct Word<4> {
    typedef unsigned __attribute__((may_alias)) type;
};
template <> struct Word<8> {
    typedef unsigned long long __attribute__((may_alias)) type;
};
template <> struct Word<16> {
    __extension__ typedef unsigned __int128 __attribute__((may_alias)) type;
};

template <std::size_t bytes> inline void copy_word(void *to, const void *from)
{
    *static_cast<typename Word<bytes>::type *>(to) = *static_cast<const typename Word<bytes>::type *>(from);
}

} // namespace accrs::emulation

#endif
