// SPDX-License-Identifier: 0BSD
//
// What the data clauses of accrs.h share: their section, and the rows behind pointers that it may
// be made of.
#ifndef ACCRS_CLAUSE_HPP
#define ACCRS_CLAUSE_HPP

#include "device.hpp"

#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

namespace accrs {

using Lock = std::lock_guard<std::recursive_mutex>;

inline std::uintptr_t pointer_at(std::uintptr_t address)
{
    std::uintptr_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void *>(address), sizeof value);
    return value;
}

// What accrs_bytes gives for a product that is no size.
constexpr std::size_t too_many_bytes = std::numeric_limits<std::ptrdiff_t>::max();

enum class Direction { entering, leaving };

// A data clause as it is called, with what was announced of it.
class DataClause {
public:
    DataClause(const char *name, const volatile void *base, std::ptrdiff_t offset, std::size_t length)
        : announced(std::exchange(current().announced, Announced())), name(name),
          base_(reinterpret_cast<std::uintptr_t>(base)), offset_(offset), length_(length)
    {
        check_length(length);
        for (const RowLevel &rows : announced.levels)
            check_length(rows.length);
    }

    const Announced announced;
    const char *const name;

    // Calls `section` for the clause's section or, where it is behind pointers, for each of its
    // rows; `block` for each array of pointers and `pointer` for the address of each pointer.
    // Entering goes from the base outwards, leaving backwards.
    template <class OnSection, class OnBlock, class OnPointer>
    void walk(Direction direction, const OnSection &section, const OnBlock &block, const OnPointer &pointer) const
    {
        descend(direction, base_, 0, section, block, pointer);
    }

    // Lets launches of the innermost region know which rows there are, where they are behind pointers.
    void remember_rows() const
    {
        if (announced.levels.empty())
            return;
        RowSection rows{base_, announced.levels};
        rows.levels.push_back({offset_, length_});
        innermost(name).rows.push_back(std::move(rows));
    }

private:
    void check_length(std::size_t length) const
    {
        if (static_cast<std::ptrdiff_t>(length) < 0)
            fail(acc_error_invalid_data_section, "a section has 0 elements or more", "'%s' has a negative length", name);
        if (length == too_many_bytes)
            fail(acc_error_invalid_data_section, nullptr, "'%s' has more bytes than there are addresses", name);
    }

    template <class OnSection, class OnBlock, class OnPointer>
    void descend(Direction direction, std::uintptr_t base, std::size_t level, const OnSection &section,
                 const OnBlock &block, const OnPointer &pointer) const
    {
        if (level == announced.levels.size()) {
            section(Section{name, base, base + static_cast<std::uintptr_t>(offset_), length_});
            return;
        }
        const RowLevel &rows = announced.levels[level];
        if (base == 0 && rows.length != 0)
            fail(acc_error_invalid_null_pointer, "give the pointer memory before the data clause",
                 "'%s' leads through a null pointer", name);
        const Section pointers{name, base, base + static_cast<std::uintptr_t>(rows.offset), rows.length};
        if (direction == Direction::entering)
            block(pointers);
        for (std::uintptr_t at = pointers.start; at != pointers.start + rows.length; at += sizeof(void *)) {
            if (direction == Direction::leaving)
                pointer(at);
            descend(direction, pointer_at(at), level + 1, section, block, pointer);
            if (direction == Direction::entering)
                pointer(at);
        }
        if (direction == Direction::leaving)
            block(pointers);
    }

    std::uintptr_t base_;
    std::ptrdiff_t offset_;
    std::size_t length_;
};

} // namespace accrs

#endif
