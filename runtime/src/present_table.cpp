// SPDX-License-Identifier: 0BSD
#include "present_table.hpp"

#include <iterator>

namespace accrs {

Found PresentTable::find(std::uintptr_t start, std::size_t length)
{
    auto after = by_start_.upper_bound(start);
    if (after != by_start_.begin()) {
        Entry &entry = std::prev(after)->second;
        if (start < entry.end())
            return {entry.contains(start, length) ? Presence::present : Presence::partial, &entry};
    }
    if (length != 0 && after != by_start_.end() && after->first - start < length)
        return {Presence::partial, &after->second};
    return {Presence::absent, nullptr};
}

Entry *PresentTable::find_pointer(std::uintptr_t address)
{
    const Found found = find(address, 0);
    if (found.entry != nullptr)
        return found.entry;
    const auto based = by_base_.find(address);
    return based == by_base_.end() ? nullptr : based->second;
}

Entry *PresentTable::find_device(std::uintptr_t device)
{
    auto after = by_device_.upper_bound(device);
    if (after == by_device_.begin())
        return nullptr;
    Entry *entry = std::prev(after)->second;
    return device - entry->device < entry->length ? entry : nullptr;
}

Entry *PresentTable::insert(const Entry &entry)
{
    Entry *stored = &by_start_.emplace(entry.start, entry).first->second;
    by_device_.emplace(stored->device, stored);
    if (stored->base < stored->start || stored->base >= stored->end())
        by_base_.emplace(stored->base, stored);
    return stored;
}

void PresentTable::erase(Entry *entry)
{
    const auto based = by_base_.equal_range(entry->base);
    for (auto it = based.first; it != based.second; ++it)
        if (it->second == entry) {
            by_base_.erase(it);
            break;
        }
    const auto on_device = by_device_.find(entry->device);
    if (on_device != by_device_.end() && on_device->second == entry)
        by_device_.erase(on_device);
    by_start_.erase(entry->start);
}

} // namespace accrs
