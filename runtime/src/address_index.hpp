// SPDX-License-Identifier: 0BSD
//
// Entries of the present table in the order of an address each, no two of the same. The addresses
// lie together, apart from the entries, in leaves of bounded size: a look-up is two binary searches
// and touches few cache lines, however many entries there are.
#ifndef ACCRS_ADDRESS_INDEX_HPP
#define ACCRS_ADDRESS_INDEX_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace accrs {

struct Entry;

class AddressIndex {
public:
    // The entry with the highest address up to this one; null if all are above.
    Entry *at_or_below(std::uintptr_t address) const;
    // The entry with the lowest address above this one; null if there is none.
    Entry *above(std::uintptr_t address) const;

    // False, and nothing is done, where the address has an entry.
    bool insert(std::uintptr_t address, Entry *entry);
    // Only if it is this entry that the address has.
    void erase(std::uintptr_t address, const Entry *entry);

    // In the order of addresses. Nothing may be inserted or erased meanwhile.
    template <class Visit> void for_each(const Visit &visit) const
    {
        for (const auto &leaf : leaves_)
            for (std::size_t i = 0; i < leaf->count; ++i)
                visit(*leaf->entries[i]);
    }

private:
    static constexpr std::size_t capacity = 256;

    struct Leaf {
        std::size_t count = 0; // never 0 in a leaf of the index
        std::array<std::uintptr_t, capacity> addresses;
        std::array<Entry *, capacity> entries;

        std::size_t count_up_to(std::uintptr_t address) const;
        void insert_at(std::size_t place, std::uintptr_t address, Entry *entry);
    };

    std::size_t leaf_of(std::uintptr_t address) const;
    void split(std::size_t leaf);

    std::vector<std::uintptr_t> first_; // the lowest address of each leaf
    std::vector<std::unique_ptr<Leaf>> leaves_;
};

} // namespace accrs

#endif
