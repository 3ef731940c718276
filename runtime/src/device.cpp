// SPDX-License-Identifier: 0BSD
//
// Data actions of OpenACC 3.3, 2.7.2 on one device.
//
// Copies go into the queue of the directive being carried out. The synchronous queue is CUDA's
// default stream, and a copy in it is waited for at once: host memory may change right after, and
// other queues do not wait for that stream by themselves.
#include "device.hpp"

#include "allocations.hpp"
#include "profile.hpp"
#include "section_copies.hpp"

#include "../include/accrs/launch.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace accrs {

namespace {

EventData copied(const Entry &entry, std::uintptr_t start, std::size_t bytes, const char *name, cudaStream_t stream = nullptr)
{
    return {name, bytes, reinterpret_cast<const void *>(start), reinterpret_cast<const void *>(entry.device_of(start)), stream};
}

// A pointer in the host's memory, and what it holds now.
struct HostPointer {
    std::uintptr_t address;
    std::uintptr_t value;
};

// Those of a range that are attached.
std::vector<HostPointer> attached_pointers(const Entry &entry, std::uintptr_t start, std::size_t bytes)
{
    std::vector<HostPointer> found;
    auto it = entry.attachments.lower_bound(start);
    for (; it != entry.attachments.end() && it->first + sizeof(void *) <= start + bytes; ++it) {
        HostPointer pointer{it->first, 0};
        std::memcpy(&pointer.value, reinterpret_cast<const void *>(it->first), sizeof pointer.value);
        found.push_back(pointer);
    }
    return found;
}

void check_copy(cudaError_t status, const char *what, const char *name, std::uintptr_t host)
{
    if (status == cudaErrorInvalidValue && is_device_address(reinterpret_cast<const void *>(host)))
        fail(acc_error_invalid_argument, "name it in deviceptr instead", "'%s' is device memory itself", name);
    check_named(status, what, name);
}

// What watches the program hears of sections and their copies; rows that are closed up are none.
void tell_present([[maybe_unused]] const Device &device, [[maybe_unused]] const Entry &entry, [[maybe_unused]] const char *name)
{
#if ACCRS_WATCHED
    if (device.origin == nullptr && !entry.shared && entry.gaps == 0)
        watch::present(reinterpret_cast<const void *>(entry.start), entry.length, reinterpret_cast<const void *>(entry.device), name);
#endif
}

} // namespace

cudaError_t copy_value(void *to, const void *from, std::size_t bytes, cudaStream_t stream)
{
#if ACCRS_EMULATED
    return emulation::copy_taken(to, from, bytes, stream);
#else
    // Of pageable memory CUDA says only that it may be read before the call returns: this copy is, by then.
    void *const taken = std::malloc(bytes == 0 ? 1 : bytes);
    if (taken == nullptr)
        return cudaErrorMemoryAllocation;
    std::memcpy(taken, from, bytes);
    cudaError_t status = cudaMemcpyAsync(to, taken, bytes, cudaMemcpyHostToDevice, stream);
    if (status == cudaSuccess)
        status = cudaLaunchHostFunc(stream, std::free, taken);
    else
        std::free(taken);
    return status;
#endif
}

void *Device::allocate(std::size_t bytes, const char *name)
{
    void *memory = nullptr;
    const cudaError_t status = cudaMallocAsync(&memory, in_words(bytes), stream(current().queue));
    if (status == cudaErrorMemoryAllocation) {
        std::size_t free_bytes = 0, total = 0;
        (void)cudaMemGetInfo(&free_bytes, &total);
        fail(acc_error_out_of_memory, "end the lifetime of data that is no longer used, or work on a section at a time",
             "no memory on the device for '%s': %zu bytes wanted, %zu of %zu are free", name, bytes, free_bytes, total);
    }
    check_named(status, "allocating", name);
    event(acc_ev_alloc, {name, bytes, nullptr, memory});
#if ACCRS_WATCHED
    watch::named(memory, name);
#endif
    wait_if_synchronous(); // other queues may use it without waiting for this one
    if (tracing())
        trace("allocate", name, "bytes=%zu", bytes);
    return memory;
}

void Device::free(void *memory, std::size_t bytes, const char *name)
{
    check_named(cudaFreeAsync(memory, stream(current().queue)), "freeing", name);
    event(acc_ev_free, {name, bytes, nullptr, memory});
    if (tracing())
        trace("free", name, "bytes=-");
}

void Device::wait_if_synchronous()
{
    if (current().queue == sync_queue)
        check(cudaStreamSynchronize(nullptr), "waiting for the device");
}

// A copy that was begun at that time; a queue is waited for, or its copies would seem to take no time.
void Device::trace_copy(const char *event, const char *name, std::size_t bytes, double begun)
{
    check(cudaStreamSynchronize(stream(current().queue)), "waiting for a copy");
    trace(event, name, "bytes=%zu us=%.1f", bytes, microseconds() - begun);
}

void Device::copy_to_device(Entry &entry, std::uintptr_t start, std::size_t bytes, const char *name)
{
    if (bytes == 0)
        return;
    entry.exposed = true;
    cudaStream_t chosen = stream(current().queue);
    const double begun = tracing() ? microseconds() : 0;
    {
        const EventScope scope(acc_ev_enqueue_upload_start, copied(entry, start, bytes, name, chosen));
        check_copy(cudaMemcpyAsync(reinterpret_cast<void *>(entry.device_of(start)), reinterpret_cast<const void *>(start), bytes,
                                   cudaMemcpyHostToDevice, chosen),
                   "copying to the device:", name, start);
    }
    write_attachments(entry, start, bytes);
    wait_if_synchronous();
    if (tracing())
        trace_copy("to-device", name, bytes, begun);
}

void Device::copy_to_host(Entry &entry, std::uintptr_t start, std::size_t bytes, const char *name)
{
    if (bytes == 0)
        return;
    cudaStream_t chosen = stream(current().queue);
    const double begun = tracing() ? microseconds() : 0;
    const std::vector<HostPointer> own = attached_pointers(entry, start, bytes);
    {
        const EventScope scope(acc_ev_enqueue_download_start, copied(entry, start, bytes, name, chosen));
        check_copy(cudaMemcpyAsync(reinterpret_cast<void *>(start), reinterpret_cast<const void *>(entry.device_of(start)), bytes,
                                   cudaMemcpyDeviceToHost, chosen),
                   "copying to the host:", name, start);
    }
    wait_if_synchronous();
    if (!own.empty())
        check(cudaStreamSynchronize(chosen), "waiting for a copy");
    for (const HostPointer &pointer : own)
        std::memcpy(reinterpret_cast<void *>(pointer.address), &pointer.value, sizeof pointer.value);
    if (tracing())
        trace_copy("to-host", name, bytes, begun);
}

void Device::copy_section(Entry &entry, const SectionCopy &copy, const Section &span, bool to_host)
{
    const std::vector<HostPointer> own = attached_pointers(entry, span.start, span.length);
    const std::uintptr_t device = entry.device + copy.device;
    entry.exposed = entry.exposed || !to_host;
    for_each_call(copy, [&](std::size_t host_offset, std::size_t device_offset) {
        auto *const host = reinterpret_cast<char *>(span.start + host_offset);
        auto *const memory = reinterpret_cast<char *>(device + device_offset);
        cudaStream_t chosen = stream(current().queue);
        const double begun = tracing() ? microseconds() : 0;
        {
            const EventScope scope(to_host ? acc_ev_enqueue_download_start : acc_ev_enqueue_upload_start,
                                   {span.name, copy.bytes_a_call(), host, memory, chosen});
            check_named(issue_copy(copy, host, memory, to_host, chosen),
                        to_host ? "copying to the host:" : "copying to the device:", span.name);
        }
        wait_if_synchronous();
        if (tracing())
            trace_copy(to_host ? "to-host" : "to-device", span.name, copy.bytes_a_call(), begun);
    });
    if (!to_host)
        return write_attachments(entry, span.start, span.length);
    if (!own.empty())
        check(cudaStreamSynchronize(stream(current().queue)), "waiting for a copy");
    for (const HostPointer &pointer : own)
        std::memcpy(reinterpret_cast<void *>(pointer.address), &pointer.value, sizeof pointer.value);
}

// A copy brings the other side's value of attached pointers along; each side gets its own back.
void Device::write_attachments(Entry &entry, std::uintptr_t start, std::size_t bytes)
{
    for (const HostPointer &pointer : attached_pointers(entry, start, bytes))
        check(copy_value(reinterpret_cast<void *>(entry.device_of(pointer.address)),
                         &entry.attachments.at(pointer.address).device_value, sizeof(void *), stream(current().queue)),
              "attaching a pointer");
}

void Device::clear(Entry &entry, const char *name)
{
    check_named(cudaMemsetAsync(reinterpret_cast<void *>(entry.device), 0, entry.device_bytes(), stream(current().queue)),
                "clearing", name);
    wait_if_synchronous();
    if (tracing())
        trace("clear", name, "bytes=%zu", entry.device_bytes());
}

Entry *Device::find_whole(const Section &section)
{
    const Found found = table.find(section.start, section.length);
    if (shares_memory && found.presence == Presence::partial)
        return nullptr;
    if (found.presence == Presence::partial) {
        const auto offset = static_cast<std::ptrdiff_t>(found.entry->start - section.start);
        fail(acc_error_partly_present, "name the same section in every data clause, or one that contains the others",
             "'%s' is only partially present on the device: %zu bytes are asked for, present are %zu bytes from byte %td on",
             section.name, section.length, found.entry->length, offset);
    }
    if (found.entry != nullptr)
        check_rows(*found.entry, section.name);
    return found.entry;
}

Entry *Device::find_pointer(std::uintptr_t address, const char *name)
{
    Entry *entry = table.find_pointer(address);
    if (entry != nullptr)
        check_rows(*entry, name);
    return entry;
}

bool Device::forget_shared(Section &section)
{
    for (;;) {
        const Found found = table.find(section.start, section.length);
        if (found.presence == Presence::absent)
            return true;
        Entry *const entry = found.entry;
        if (!entry->shared || entry->structured != 0)
            return false;
        const std::uintptr_t end = std::max(section.start + section.length, entry->end());
        section.start = std::min(section.start, entry->start);
        section.length = end - section.start;
        table.erase(entry);
    }
}

// Notes the range: nothing depends on the counts of shared memory. A range of which a part is known is
// noted together with that; it may be of memory that has been given back without exit data.
Entry *Device::enter_shared(const Section &section, Count count)
{
    const Found found = table.find(section.start, section.length);
    Entry *entry = section.length == 0 || found.presence == Presence::present ? found.entry : nullptr;
    Section fresh_section = section;
    if (entry == nullptr && section.length != 0 && section.start != 0 && section.base != 0 && forget_shared(fresh_section)) {
        Entry fresh{};
        fresh.start = fresh.device = fresh_section.start;
        fresh.length = fresh_section.length;
        fresh.base = section.base;
        fresh.name = section.name;
        fresh.place = current().place;
        fresh.shared = true;
        entry = table.insert(fresh);
    }
    if (entry != nullptr)
        ++(count == Count::structured ? entry->structured : entry->dynamic);
    return entry;
}

Entry *Device::enter(const Section &section, Entering how, Count count)
{
    if (shares_memory)
        return enter_shared(section, count);
    Entry *entry = section.length == 0 ? find_pointer(section.start, section.name) : find_whole(section);
    if (entry == nullptr) {
        if (section.length == 0) {
            if (count == Count::dynamic)
                empty_.insert(section.base);
            return nullptr;
        }
        if (section.start == 0 || section.base == 0)
            fail(acc_error_invalid_null_pointer, "give the pointer memory before the data clause", "'%s' is a null pointer", section.name);
        Entry fresh{};
        fresh.start = section.start;
        fresh.length = section.length;
        fresh.base = section.base;
        fresh.name = section.name;
        fresh.place = current().place;
        fresh.device = reinterpret_cast<std::uintptr_t>(allocate(section.length, section.name));
        entry = table.insert(fresh);
        tell_present(*this, *entry, section.name);
        tell_globals(*entry, true, section.name);
        entry->launches = launches;
        event(acc_ev_create, copied(*entry, section.start, section.length, section.name));
        if (how.copy)
            copy_to_device(*entry, section.start, section.length, section.name);
        else if (how.zero)
            clear(*entry, section.name);
        entry->exposed = how.copy || how.zero;
    } else if (how.copy && how.always) {
        copy_to_device(*entry, section.start, section.length, section.name);
    } else if (how.zero && !entry->exposed && entry->launches == launches) {
        // Present, but nothing has written it since it was allocated: it may as well be zero.
        clear(*entry, section.name);
    }
    ++(count == Count::structured ? entry->structured : entry->dynamic);
    return entry;
}

Entry *Device::enter_section(const Section &span, std::size_t bytes, bool zero)
{
    Entry fresh{};
    fresh.start = span.start;
    fresh.length = span.length;
    fresh.base = span.base;
    fresh.name = span.name;
    fresh.place = current().place;
    fresh.alone = true;
    fresh.gaps = span.length - bytes;
    fresh.device = reinterpret_cast<std::uintptr_t>(allocate(bytes, span.name));
    Entry *entry = table.insert(fresh);
    tell_present(*this, *entry, span.name);
    tell_globals(*entry, true, span.name);
    entry->launches = launches;
    event(acc_ev_create, {span.name, bytes, reinterpret_cast<const void *>(span.start), reinterpret_cast<const void *>(entry->device)});
    if (zero)
        clear(*entry, span.name);
    entry->exposed = zero;
    return entry;
}

void Device::leave(const Section &section, Leaving how, Count count)
{
    Entry *entry = section.length == 0 ? find_pointer(section.start, section.name) : find_whole(section);
    if (entry != nullptr)
        leave_entry(*entry, section, how, count);
    else if (how.finalize)
        empty_.erase(section.base);
    else if (const auto held = empty_.find(section.base); section.length == 0 && held != empty_.end())
        empty_.erase(held);
}

void Device::leave_entry(Entry &entry, const Section &section, Leaving how, Count count)
{
    unsigned &counter = count == Count::structured ? entry.structured : entry.dynamic;
    if (how.finalize)
        counter = 0;
    else if (counter != 0)
        --counter;
    if (entry.retired) {
        if (entry.structured == 0)
            table.recycle(&entry);
        return;
    }
    const bool is_last = entry.structured == 0 && entry.dynamic == 0 && !entry.mapped && !entry.alone;
    if (!is_last && !(how.copy && how.always))
        return;
    if (how.copy && !entry.shared)
        copy_to_host(entry, section.start, section.length, section.name);
    if (!is_last)
        return;
    end_lifetime(entry, section.name);
}

// What regions still hold is recycled as the last of them ends.
void Device::end_lifetime(Entry &entry, const char *name)
{
    void *const memory = entry.mapped || entry.shared ? nullptr : reinterpret_cast<void *>(entry.device);
    const std::size_t bytes = entry.device_bytes();
    tell_globals(entry, false, name);
    if (!entry.shared)
        event(acc_ev_delete, copied(entry, entry.start, bytes, name));
#if ACCRS_WATCHED
    if (origin == nullptr && !entry.shared)
        watch::absent(reinterpret_cast<const void *>(entry.device));
#endif
    table.retire(&entry);
    if (entry.structured == 0)
        table.recycle(&entry);
    if (memory != nullptr)
        free(memory, bytes, name);
}

void Device::update(const Section &section, bool to_host, bool if_present)
{
    if (section.length == 0 || is_host)
        return;
    Entry *entry = find_whole(section);
    if (entry != nullptr ? entry->shared : shares_memory)
        return;
    if (entry == nullptr) {
        if (!if_present)
            fail(acc_error_not_present, "name it in a data region or enter data around the update, or add if_present",
                 "'%s' is not present on the device", section.name);
        return;
    }
    if (to_host)
        copy_to_host(*entry, section.start, section.length, section.name);
    else
        copy_to_device(*entry, section.start, section.length, section.name);
}

void Device::trace_table()
{
    const std::unique_lock<std::recursive_mutex> lock(mutex, std::try_to_lock);
    if (!lock)
        return; // another thread that fails may never give it back
    std::size_t count = 0;
    table.for_each([&](const Entry &) { ++count; });
    std::fprintf(stderr, "accrs trace: present-table device=%d entries=%zu\n", number, count);
    table.for_each([](const Entry &entry) {
        std::fprintf(stderr, "accrs trace: present %s bytes=%zu host=%#" PRIxPTR " device=%#" PRIxPTR " structured=%u dynamic=%u",
                     entry.name,
                     entry.length, entry.start, entry.device, entry.structured, entry.dynamic);
        if (entry.place.file != nullptr)
            std::fprintf(stderr, " at=%s:%d\n", entry.place.file, entry.place.line);
        else
            std::fprintf(stderr, " by=%s\n", entry.place.directive);
    });
}

void Device::release_all()
{
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    std::vector<Entry *> ending;
    table.for_each([&](Entry &entry) {
        entry.dynamic = 0;
        if (!entry.lasting)
            ending.push_back(&entry);
    });
    for (Entry *entry : ending)
        end_lifetime(*entry, "data of a device that is shut down");
    sections.clear();
}

} // namespace accrs
