// SPDX-License-Identifier: 0BSD
#include "present_table.hpp"

namespace accrs {

Found PresentTable::find(std::uintptr_t start, std::size_t length)
{
    if (Entry *entry = by_start_.at_or_below(start))
        if (start < entry->end())
            return {entry->contains(start, length) ? Presence::present : Presence::partial, entry};
    if (length != 0)
        if (Entry *after = by_start_.above(start))
            if (after->start - start < length)
                return {Presence::partial, after};
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
    Entry *entry = by_device_.at_or_below(device);
    return entry != nullptr && device - entry->device < entry->device_bytes() ? entry : nullptr;
}

Entry *PresentTable::find_device_overlap(std::uintptr_t device, std::size_t bytes)
{
    Entry *entry = by_device_.at_or_below(device + bytes - 1);
    return entry != nullptr && entry->device + entry->device_bytes() > device ? entry : nullptr;
}

Entry *PresentTable::insert(const Entry &entry)
{
    Entry *stored = nullptr;
    if (unused_.empty()) {
        memory_.push_back(entry);
        stored = &memory_.back();
    } else {
        stored = unused_.back();
        unused_.pop_back();
        *stored = entry;
    }
    by_start_.insert(stored->start, stored);
    by_device_.insert(stored->device, stored);
    if (stored->base < stored->start || stored->base >= stored->end())
        by_base_.emplace(stored->base, stored);
    return stored;
}

void PresentTable::erase(Entry *entry)
{
    retire(entry);
    recycle(entry);
}

void PresentTable::retire(Entry *entry)
{
    const auto based = by_base_.equal_range(entry->base);
    for (auto it = based.first; it != based.second; ++it)
        if (it->second == entry) {
            by_base_.erase(it);
            break;
        }
    by_device_.erase(entry->device, entry);
    by_start_.erase(entry->start, entry);
    entry->attachments.clear();
    entry->retired = true;
}

void PresentTable::recycle(Entry *entry)
{
    unused_.push_back(entry);
}

} // namespace accrs
