// SPDX-License-Identifier: 0BSD
//
// attach and detach (OpenACC 3.3, 2.6.8): the copy of a pointer within a present structure is made
// to point to the copy of what the pointer points to.
#include "clause.hpp"

#include "../include/accrs/launch.hpp"

namespace accrs {

// Nothing happens where the pointer or its target is absent, as the standard has it; a null pointer
// is one on the device as well.
void Device::attach(const char *name, std::uintptr_t pointer_address)
{
    const Found holder = table.find(pointer_address, sizeof(void *));
    if (holder.presence != Presence::present)
        return;
    check_rows(*holder.entry, name);
    std::map<std::uintptr_t, Attachment> &attachments = holder.entry->attachments;
    const std::uintptr_t target = pointer_at(pointer_address);
    if (target == 0) {
        attachments.erase(pointer_address);
        return write_pointer("attach", name, *holder.entry, pointer_address, 0);
    }
    Entry *entry = find_pointer(target, name);
    if (entry == nullptr)
        return;
    const auto known = attachments.find(pointer_address);
    if (known != attachments.end() && known->second.host_value == target &&
        known->second.device_value == entry->device_of(target)) {
        ++known->second.count;
        return;
    }
    attachments[pointer_address] = {target, entry->device_of(target), 1};
    write_pointer("attach", name, *holder.entry, pointer_address, entry->device_of(target));
}

void Device::detach(const char *name, std::uintptr_t pointer_address, bool finalize)
{
    const Found holder = table.find(pointer_address, sizeof(void *));
    if (holder.presence != Presence::present)
        return;
    const auto known = holder.entry->attachments.find(pointer_address);
    if (known == holder.entry->attachments.end())
        return;
    if (!finalize && --known->second.count != 0)
        return;
    holder.entry->attachments.erase(known);
    write_pointer("detach", name, *holder.entry, pointer_address, pointer_at(pointer_address));
}

void Device::write_pointer(const char *event, const char *name, Entry &holder, std::uintptr_t pointer_address,
                           std::uintptr_t value)
{
    if (holder.shared)
        return;
    check_named(copy_value(reinterpret_cast<void *>(holder.device_of(pointer_address)), &value, sizeof value,
                           stream(current().queue)),
                event, name);
    wait_if_synchronous();
    if (tracing())
        trace(event, name, "bytes=%zu", sizeof value);
}

Section Device::extent_of(const Section &section)
{
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    const Found found = table.find(section.start, section.length);
    const Entry *entry = section.length == 0 ? table.find_pointer(section.start) : found.entry;
    if (entry == nullptr || found.presence == Presence::partial)
        return section;
    return {section.name, section.base, entry->start, entry->length};
}

bool Device::knows(std::uintptr_t address)
{
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    return table.find_pointer(address) != nullptr;
}

std::map<std::uintptr_t, Attachment> Device::attachments_of(const Section &section)
{
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    const Found found = table.find(section.start, section.length);
    return found.presence == Presence::present ? found.entry->attachments : std::map<std::uintptr_t, Attachment>();
}

} // namespace accrs
