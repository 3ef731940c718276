// SPDX-License-Identifier: 0BSD
//
// A window in dynamic shared memory whose indices are checked: what ACCRS_WINDOW declares in the
// checking build in place of a pointer.
#ifndef ACCRS_CHECKS_WINDOW_HPP
#define ACCRS_CHECKS_WINDOW_HPP

#include <cstddef>

namespace accrs::checks {

[[noreturn]] void outside_window(const char *name, long long index, std::size_t elements, const void *pc);

template <class T> class Window {
public:
    Window(T *begin, std::size_t elements, const char *name) : begin_(begin), elements_(elements), name_(name) {}

    template <class Index> __attribute__((always_inline)) T &operator[](Index index) const
    {
        if (__builtin_expect(static_cast<std::size_t>(index) >= elements_, 0))
            fail(static_cast<long long>(index));
        return begin_[index];
    }

    operator T *() const { return begin_; }

private:
    __attribute__((noinline, cold)) void fail(long long index) const
    {
        outside_window(name_, index, elements_, __builtin_return_address(0));
    }

    T *begin_;
    std::size_t elements_;
    const char *name_;
};

} // namespace accrs::checks

#endif
