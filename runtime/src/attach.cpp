// SPDX-License-Identifier: 0BSD
//
// attach and detach (OpenACC 3.3, 2.6.8): the copy of a pointer within a present structure is made
// to point to the copy of what the pointer points to.
#include "clause.hpp"

#include "../include/accrs/launch.hpp"

namespace accrs {

// Nothing happens where the pointer or its target is absent, as the standard has it.
void Device::attach(const char *name, std::uintptr_t pointer_address)
{
    const Found holder = table.find(pointer_address, sizeof(void *));
    if (holder.presence != Presence::present)
        return;
    const std::uintptr_t target = pointer_at(pointer_address);
    const auto known = holder.entry->attachments.find(pointer_address);
    if (known != holder.entry->attachments.end() && known->second.host_value == target) {
        ++known->second.count;
        return;
    }
    Entry *entry = target == 0 ? nullptr : table.find_pointer(target);
    if (entry == nullptr)
        return;
    const Attachment attachment{target, entry->device_of(target), 1};
    holder.entry->attachments[pointer_address] = attachment;
    if (is_host)
        return;
    check(cudaMemcpyAsync(reinterpret_cast<void *>(holder.entry->device_of(pointer_address)), &attachment.device_value,
                          sizeof(void *), cudaMemcpyHostToDevice, stream(current().queue)),
          "attaching a pointer");
    if (tracing())
        trace("attach", name, "bytes=%zu", sizeof(void *));
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
    const std::uintptr_t target = known->second.host_value;
    holder.entry->attachments.erase(known);
    if (is_host)
        return;
    check(cudaMemcpyAsync(reinterpret_cast<void *>(holder.entry->device_of(pointer_address)), &target, sizeof(void *),
                          cudaMemcpyHostToDevice, stream(current().queue)),
          "detaching a pointer");
    if (tracing())
        trace("detach", name, "bytes=%zu", sizeof(void *));
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
