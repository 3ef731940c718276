// SPDX-License-Identifier: 0BSD
#include "address_index.hpp"

#include <algorithm>
#include <iterator>

namespace accrs {

namespace {

// How many of sorted addresses are not above `address`. Without a branch on the comparison: which
// way it goes cannot be foreseen.
std::size_t count_not_above(const std::uintptr_t *addresses, std::size_t count, std::uintptr_t address)
{
    if (count == 0)
        return 0;
    const std::uintptr_t *at = addresses;
    while (count > 1) {
        const std::size_t half = count / 2;
        at += at[half - 1] <= address ? half : 0;
        count -= half;
    }
    return static_cast<std::size_t>(at - addresses) + (*at <= address ? 1 : 0);
}

} // namespace

std::size_t AddressIndex::Leaf::count_up_to(std::uintptr_t address) const
{
    return count_not_above(addresses.data(), count, address);
}

void AddressIndex::Leaf::insert_at(std::size_t place, std::uintptr_t address, Entry *entry)
{
    std::copy_backward(addresses.begin() + place, addresses.begin() + count, addresses.begin() + count + 1);
    std::copy_backward(entries.begin() + place, entries.begin() + count, entries.begin() + count + 1);
    addresses[place] = address;
    entries[place] = entry;
    ++count;
}

// The leaf where an address is or belongs; there must be one.
std::size_t AddressIndex::leaf_of(std::uintptr_t address) const
{
    const std::size_t up_to = count_not_above(first_.data(), first_.size(), address);
    return up_to == 0 ? 0 : up_to - 1;
}

Entry *AddressIndex::at_or_below(std::uintptr_t address) const
{
    if (leaves_.empty())
        return nullptr;
    const Leaf &leaf = *leaves_[leaf_of(address)];
    const std::size_t up_to = leaf.count_up_to(address);
    return up_to == 0 ? nullptr : leaf.entries[up_to - 1];
}

Entry *AddressIndex::above(std::uintptr_t address) const
{
    if (leaves_.empty())
        return nullptr;
    const std::size_t index = leaf_of(address);
    const std::size_t up_to = leaves_[index]->count_up_to(address);
    if (up_to < leaves_[index]->count)
        return leaves_[index]->entries[up_to];
    return index + 1 < leaves_.size() ? leaves_[index + 1]->entries[0] : nullptr;
}

bool AddressIndex::insert(std::uintptr_t address, Entry *entry)
{
    if (leaves_.empty()) {
        leaves_.push_back(std::make_unique<Leaf>());
        first_.push_back(address);
    }
    std::size_t index = leaf_of(address);
    if (leaves_[index]->count == capacity) {
        split(index);
        index = leaf_of(address);
    }
    Leaf &leaf = *leaves_[index];
    const std::size_t place = leaf.count_up_to(address);
    if (place != 0 && leaf.addresses[place - 1] == address)
        return false;
    leaf.insert_at(place, address, entry);
    first_[index] = leaf.addresses[0];
    return true;
}

// Arrays are often entered in the order of their addresses: the last leaf is then left full, and
// what comes next begins a leaf of its own.
void AddressIndex::split(std::size_t index)
{
    Leaf &full = *leaves_[index];
    const bool last = index + 1 == leaves_.size();
    const std::size_t kept = last ? capacity - 1 : capacity / 2;
    auto upper = std::make_unique<Leaf>();
    std::copy(full.addresses.begin() + kept, full.addresses.end(), upper->addresses.begin());
    std::copy(full.entries.begin() + kept, full.entries.end(), upper->entries.begin());
    upper->count = capacity - kept;
    full.count = kept;
    const auto behind = static_cast<std::ptrdiff_t>(index) + 1;
    first_.insert(first_.begin() + behind, upper->addresses[0]);
    leaves_.insert(leaves_.begin() + behind, std::move(upper));
}

void AddressIndex::erase(std::uintptr_t address, const Entry *entry)
{
    if (leaves_.empty())
        return;
    const std::size_t index = leaf_of(address);
    Leaf &leaf = *leaves_[index];
    const std::size_t up_to = leaf.count_up_to(address);
    if (up_to == 0 || leaf.addresses[up_to - 1] != address || leaf.entries[up_to - 1] != entry)
        return;
    std::copy(leaf.addresses.begin() + up_to, leaf.addresses.begin() + leaf.count, leaf.addresses.begin() + up_to - 1);
    std::copy(leaf.entries.begin() + up_to, leaf.entries.begin() + leaf.count, leaf.entries.begin() + up_to - 1);
    --leaf.count;
    const auto at = static_cast<std::ptrdiff_t>(index);
    if (leaf.count == 0) {
        first_.erase(first_.begin() + at);
        leaves_.erase(leaves_.begin() + at);
    } else {
        first_[index] = leaf.addresses[0];
    }
}

} // namespace accrs
