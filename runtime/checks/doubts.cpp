// SPDX-License-Identifier: 0BSD
#include "doubts.hpp"

#include <algorithm>
#include <cstring>
#include <pthread.h>
#include <utility>

namespace accrs::checks {

namespace {

bool same(const Doubt &a, const Doubt &b)
{
    return a.kind == b.kind && a.section == b.section && a.site == b.site && a.file == b.file && a.line == b.line;
}

struct Stack {
    std::uintptr_t begin = 0, end = 0;
};

// Of the host thread that asks.
const Stack &own_stack()
{
    static thread_local const Stack stack = [] {
        Stack found;
        pthread_attr_t attributes;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0)
            return found;
        void *begin = nullptr;
        std::size_t bytes = 0;
        if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0)
            found = {reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(begin) + bytes};
        pthread_attr_destroy(&attributes);
        return found;
    }();
    return stack;
}

} // namespace

Doubts::Ranges::iterator Doubts::first(std::uintptr_t address)
{
    auto it = ranges_.upper_bound(address);
    return it == ranges_.begin() ? it : std::prev(it);
}

// No range has a byte of it afterwards.
void Doubts::cut_out(std::uintptr_t begin, std::uintptr_t end)
{
    for (auto it = first(begin); it != ranges_.end() && it->first < end;) {
        const std::uintptr_t start = it->first, stop = start + it->second.value.size();
        if (stop <= begin) {
            ++it;
            continue;
        }
        const Range whole = std::move(it->second);
        it = ranges_.erase(it);
        const auto keep = [&](std::uintptr_t from, std::uintptr_t to) {
            if (from >= to)
                return;
            const auto low = static_cast<std::ptrdiff_t>(from - start), high = static_cast<std::ptrdiff_t>(to - start);
            Range part{whole.doubt, {whole.value.begin() + low, whole.value.begin() + high},
                       {whole.holds.begin() + low, whole.holds.begin() + high}, 0};
            part.left = static_cast<std::size_t>(std::count(part.holds.begin(), part.holds.end(), true));
            if (part.left != 0)
                ranges_.emplace(from, std::move(part));
        };
        keep(start, begin);
        keep(end, stop);
    }
}

void Doubts::add(std::uintptr_t begin, std::size_t bytes, const Doubt &doubt, const void *value)
{
    cut_out(begin, begin + bytes);
    const auto *const from = static_cast<const unsigned char *>(value);
    const auto before = first(begin);
    if (before != ranges_.end() && before->first + before->second.value.size() == begin && same(before->second.doubt, doubt)) {
        Range &range = before->second;
        range.value.insert(range.value.end(), from, from + bytes);
        range.holds.resize(range.value.size(), true);
        range.left += bytes;
        return;
    }
    ranges_[begin] = {doubt, {from, from + bytes}, std::vector<bool>(bytes, true), bytes};
}

void Doubts::take(std::uintptr_t begin, std::size_t bytes, const std::function<void(const Doubt &, std::uintptr_t)> &act)
{
    const std::uintptr_t end = begin + bytes;
    for (auto it = first(begin); it != ranges_.end() && it->first < end;) {
        const std::uintptr_t start = it->first;
        Range &range = it->second;
        bool is_doubtful = false;
        for (std::uintptr_t at = std::max(start, begin); at < std::min(start + range.value.size(), end); ++at) {
            if (!range.holds[at - start])
                continue;
            range.holds[at - start] = false;
            --range.left;
            is_doubtful = true;
        }
        const std::uintptr_t from = std::max(start, begin), to = std::min(start + range.value.size(), end);
        if (is_doubtful && std::memcmp(range.value.data() + (from - start), reinterpret_cast<const void *>(from), to - from) == 0)
            act(range.doubt, from);
        it = range.left == 0 ? ranges_.erase(it) : std::next(it);
    }
}

void Doubts::visit(std::uintptr_t begin, std::size_t bytes,
                   const std::function<void(const Doubt &, std::uintptr_t, std::size_t)> &act)
{
    const std::uintptr_t end = begin + bytes;
    for (auto it = first(begin); it != ranges_.end() && it->first < end; ++it) {
        const auto &[start, range] = *it;
        for (std::uintptr_t at = std::max(start, begin); at < std::min(start + range.value.size(), end); ++at)
            if (range.holds[at - start] && range.value[at - start] == *reinterpret_cast<const unsigned char *>(at))
                act(range.doubt, at, 1);
    }
}

void Doubts::for_each_range(const std::function<void(std::uintptr_t, std::size_t)> &act) const
{
    if (ranges_.empty())
        return;
    act(ranges_.begin()->first, ranges_.begin()->second.value.size());
    act(ranges_.rbegin()->first, ranges_.rbegin()->second.value.size());
}

bool Doubts::any_on_stack() const
{
    const auto first = ranges_.lower_bound(own_stack().begin);
    return first != ranges_.end() && first->first < own_stack().end;
}

void Doubts::forget_stack_below(std::uintptr_t frame)
{
    if (frame - own_stack().begin < own_stack().end - own_stack().begin)
        take(own_stack().begin, frame - own_stack().begin, [](const Doubt &, std::uintptr_t) {});
}

} // namespace accrs::checks
