// SPDX-License-Identifier: 0BSD
//
// openacc.h: memory and data. The data routines are enter data, exit data and update of whole
// ranges, as the standard defines them.
#include "../include/openacc.h"

#include "../include/accrs/launch.hpp"
#include "allocations.hpp"
#include "api_call.hpp"
#include "profile.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace accrs {

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

std::uintptr_t address_of(const void *pointer)
{
    return reinterpret_cast<std::uintptr_t>(pointer);
}

// The routine's argument is what a message calls the data.
const char *argument()
{
    const char *written = current().argument;
    return written != nullptr ? written : "data_arg";
}

Section whole(const void *host, std::size_t bytes)
{
    if (static_cast<std::ptrdiff_t>(bytes) < 0)
        fail(acc_error_invalid_argument, "the size is unsigned: was it computed from a negative number?",
             "'%s' would have %zu bytes", argument(), bytes);
    if (host == nullptr && bytes != 0)
        fail(acc_error_invalid_null_pointer, "give the pointer memory before", "'%s' is a null pointer", argument());
    return {argument(), address_of(host), address_of(host), bytes};
}

void *enter(const char *function, const void *host, std::size_t bytes, bool copy, int queue)
{
    ApiCall call(function, queue);
    Device &target = device();
    const Lock lock(target.mutex);
    const EventScope event(acc_ev_enter_data_start);
    Entry *entry = target.enter(whole(host, bytes), {copy, false, false}, Count::dynamic);
    if (entry == nullptr && target.shares_memory)
        return const_cast<void *>(host);
    if (entry != nullptr)
        entry->exposed = true;
    return entry == nullptr ? nullptr : reinterpret_cast<void *>(entry->device_of(address_of(host)));
}

void leave(const char *function, const void *host, std::size_t bytes, bool copy, bool finalize, int queue)
{
    ApiCall call(function, queue);
    Device &target = device();
    const Lock lock(target.mutex);
    const EventScope event(acc_ev_exit_data_start);
    target.leave(whole(host, bytes), {copy, finalize, false}, Count::dynamic);
}

void update_bytes(const char *function, const void *host, std::size_t bytes, bool to_host, int queue)
{
    ApiCall call(function, queue);
    Device &target = device();
    const Lock lock(target.mutex);
    const EventScope event(acc_ev_update_start);
    target.update(whole(host, bytes), to_host, false);
}

// Device memory that a copy would leave: as far as the runtime knows its end.
void check_extent(const char *name, const void *memory, std::size_t bytes)
{
    const std::uintptr_t address = address_of(memory);
    const Allocation allocation = allocations().find(address);
    const std::size_t left = allocation.start + allocation.bytes - address;
    if (allocation.bytes != 0 && left < bytes)
        fail(acc_error_invalid_argument, nullptr, "%zu bytes are to be copied, and %s has %zu from there on", bytes, name, left);
}

// Why CUDA refuses a copy, where that can be seen.
void check_side(const char *name, const void *memory, bool is_device)
{
    if (is_device && is_plain_host_address(memory))
        fail(acc_error_invalid_argument, "give it memory of acc_malloc or what acc_deviceptr returns",
             "%s is memory of the host", name);
    if (!is_device && is_device_address(memory))
        fail(acc_error_invalid_argument, "give it memory of the host", "%s is device memory", name);
}

void copy_memory(Device &target, void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, int queue)
{
    const bool to_device = kind != cudaMemcpyDeviceToHost;
    const bool from_device = kind != cudaMemcpyHostToDevice;
    if (to_device)
        check_extent("the destination", to, bytes);
    if (from_device)
        check_extent("the source", from, bytes);
    cudaStream_t stream = target.stream(queue);
    if (target.shares_memory && !is_device_address(from)) {
        // CUDA reads pageable memory as it is told to copy, and kernels in the queue may write this.
        check(cudaStreamSynchronize(stream), "waiting for what writes an array");
        kind = cudaMemcpyHostToDevice;
        if (!is_device_address(to)) {
            std::memmove(to, from, bytes);
            return;
        }
    } else if (target.shares_memory) {
        kind = cudaMemcpyDefault;
    }
    std::optional<EventScope> event; // of its enqueuing; waiting is no part of it
    if (kind == cudaMemcpyHostToDevice)
        event.emplace(acc_ev_enqueue_upload_start, EventData{argument(), bytes, from, to, stream});
    else if (kind == cudaMemcpyDeviceToHost)
        event.emplace(acc_ev_enqueue_download_start, EventData{argument(), bytes, to, from, stream});
    const cudaError_t status = cudaMemcpyAsync(to, from, bytes, kind, stream);
    if (status == cudaErrorInvalidValue) {
        check_side("the destination", to, to_device);
        check_side("the source", from, from_device);
    }
    check_named(status, "copying to", argument());
    event.reset();
    if (chosen_queue(queue) == sync_queue)
        check(cudaStreamSynchronize(stream), "copying");
}

void copy(const char *function, void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, int queue)
{
    ApiCall call(function, queue);
    if (bytes == 0 || (to == from && to != nullptr))
        return;
    if (to == nullptr || from == nullptr)
        fail(acc_error_invalid_null_pointer, nullptr, "the %s of %zu bytes is a null pointer",
             to == nullptr ? "destination" : "source", bytes);
    Device &target = device();
    if (target.is_host) {
        std::memmove(to, from, bytes);
        return;
    }
    copy_memory(target, to, from, bytes, kind, queue);
}

// Memory that acc_free may not take: the present table still needs it.
void check_unused(Device &target, const void *memory)
{
    const Lock lock(target.mutex);
    const Allocation allocation = allocations().find(address_of(memory));
    const bool is_own = allocation.bytes != 0 && allocation.start == address_of(memory);
    const Entry *entry = target.table.find_device_overlap(address_of(memory), is_own ? allocation.bytes : 1);
    if (entry == nullptr)
        return;
    if (entry->mapped)
        fail(acc_error_invalid_argument, "call acc_unmap_data before", "'%s' is mapped to host data", argument());
    fail(acc_error_invalid_argument, "the end of its data region, exit data or acc_delete frees it",
         "'%s' is the copy of host data, not memory of acc_malloc", argument());
}

// Memory that acc_map_data may take, as far as that is known.
void check_mappable(const void *memory, std::size_t bytes)
{
    if (is_plain_host_address(memory))
        fail(acc_error_invalid_argument, "give it memory of acc_malloc", "'%s' would be mapped to host memory", argument());
    const Allocation allocation = allocations().find(address_of(memory));
    if (allocation.bytes == 0)
        return;
    const std::size_t left = allocation.start + allocation.bytes - address_of(memory);
    if (left < bytes)
        fail(acc_error_invalid_argument, nullptr, "'%s' would be mapped to %zu bytes, of which there are %zu", argument(), bytes,
             left);
}

// The copy of host data on one of the devices.
void *copy_on(Device &target, const void *host, std::size_t bytes, const char *name)
{
    if (target.is_host)
        return const_cast<void *>(host);
    const Lock lock(target.mutex);
    const Found found = target.table.find(address_of(host), bytes);
    if (target.shares_memory && found.presence != Presence::present)
        return const_cast<void *>(host);
    if (found.presence == Presence::partial)
        fail(acc_error_partly_present, nullptr, "the %s is only partially present on device %d: %zu bytes are asked for", name,
             target.number, bytes);
    if (found.presence == Presence::absent)
        fail(acc_error_not_present, "name it in enter data while that device is the current one",
             "the %s is not present on device %d", name, target.number);
    target.check_rows(*found.entry, name);
    return reinterpret_cast<void *>(found.entry->device_of(address_of(host)));
}

// In a queue of the source's device.
void copy_between(const char *function, const void *to_host, const void *from_host, std::size_t bytes, int to_number,
                  int from_number, int queue)
{
    ApiCall call(function, queue);
    Device &to_device = device_numbered(to_number);
    Device &from_device = device_numbered(from_number);
    if (bytes == 0 || (to_host == from_host && to_host != nullptr && (to_number == from_number || to_device.shares_memory)))
        return;
    if (to_host == nullptr || from_host == nullptr)
        fail(acc_error_invalid_null_pointer, nullptr, "the %s of %zu bytes is a null pointer",
             to_host == nullptr ? "destination" : "source", bytes);
    void *to = copy_on(to_device, to_host, bytes, "destination");
    const void *from = copy_on(from_device, from_host, bytes, "source");
    if (from_device.is_host) {
        std::memmove(to, from, bytes);
        return;
    }
    const DeviceScope scope(from_number);
    copy_memory(from_device, to, from, bytes, cudaMemcpyDeviceToDevice, queue);
}

void check_pointer(const void *pointer)
{
    if (pointer == nullptr)
        fail(acc_error_invalid_null_pointer, "give it the address of a pointer", "'%s' is a null pointer", argument());
}

void attach(const char *function, void **pointer, int queue)
{
    ApiCall call(function, queue);
    check_pointer(pointer);
    Device &target = device();
    const Lock lock(target.mutex);
    target.attach(argument(), address_of(pointer));
}

void detach(const char *function, void **pointer, bool finalize, int queue)
{
    ApiCall call(function, queue);
    check_pointer(pointer);
    Device &target = device();
    const Lock lock(target.mutex);
    target.detach(argument(), address_of(pointer), finalize);
}

} // namespace

} // namespace accrs

using namespace accrs;

extern "C" {

void *acc_malloc(size_t bytes)
{
    ApiCall call("acc_malloc");
    if (bytes == 0)
        return nullptr;
    if (device().is_host) {
        void *const memory = std::malloc(bytes);
        if (memory != nullptr)
            enter("acc_malloc", memory, bytes, false, sync_queue); // host runs ask for its extent
        return memory;
    }
    void *memory = nullptr;
    if (cudaMalloc(&memory, in_words(bytes)) == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return nullptr; // the standard: a null pointer, no error
    }
    allocations().add(memory, bytes);
    event(acc_ev_alloc, {nullptr, bytes, nullptr, memory});
    return memory;
}

void acc_free(void *memory)
{
    ApiCall call("acc_free");
    if (memory == nullptr)
        return;
    if (on_host() && !is_device_address(memory)) {
        leave("acc_free", memory, 0, false, true, sync_queue);
        std::free(memory);
        return;
    }
    (void)device();
    for_each_device([&](Device &target) { check_unused(target, memory); });
    const std::size_t bytes = allocations().remove(memory);
    const cudaError_t status = cudaFree(memory);
    if (status == cudaErrorInvalidValue)
        fail(acc_error_invalid_argument, nullptr, "'%s' is not memory of acc_malloc, or was freed before", argument());
    check(status, "freeing device memory");
    event(acc_ev_free, {nullptr, bytes, nullptr, memory});
}

void acc_map_data(void *host, void *memory, size_t bytes)
{
    ApiCall call("acc_map_data");
    Device &target = device();
    const Lock lock(target.mutex);
    check_pointer(host);
    if (memory == nullptr)
        fail(acc_error_invalid_null_pointer, "give it memory of acc_malloc", "'%s' would be mapped to a null pointer",
             argument());
    if (bytes == 0)
        fail(acc_error_invalid_argument, nullptr, "no bytes of '%s' would be mapped", argument());
    if (target.is_host) {
        (void)target.enter(whole(host, bytes), {}, Count::dynamic);
        return;
    }
    Section known = whole(host, bytes);
    if (!target.forget_shared(known))
        fail(acc_error_present, "delete it first", "'%s' is present on the device already", argument());
    if (!target.shares_memory || is_device_address(memory))
        check_mappable(memory, bytes);
    Entry entry{};
    entry.start = entry.base = address_of(host);
    entry.length = bytes;
    entry.device = address_of(memory);
    entry.mapped = true;
    entry.dynamic = 1;
    entry.name = argument();
    entry.place = current().place;
    target.tell_globals(*target.table.insert(entry), true, argument());
    event(acc_ev_create, {argument(), bytes, host, memory});
}

void acc_unmap_data(void *host)
{
    ApiCall call("acc_unmap_data");
    check_pointer(host);
    Device &target = device();
    const Lock lock(target.mutex);
    if (target.is_host)
        return target.leave(whole(host, 0), {}, Count::dynamic);
    Entry *entry = target.table.find(address_of(host), 0).entry;
    if (entry != nullptr && entry->structured != 0)
        fail(acc_error_present, "unmap it after the region", "'%s' is in use by a data region", argument());
    if (entry != nullptr && !entry->mapped)
        fail(acc_error_invalid_argument, "the end of its data region, exit data or acc_delete ends its lifetime",
             "'%s' is present by a data directive or routine, not by acc_map_data", argument());
    if (entry == nullptr || entry->start != address_of(host))
        fail(acc_error_invalid_argument, "give it the address that acc_map_data was given",
             "'%s' was not mapped by acc_map_data", argument());
    target.unmap(*entry, argument());
}

void *acc_deviceptr(void *host)
{
    ApiCall call("acc_deviceptr");
    Device &target = device();
    if (target.is_host)
        return host;
    const Lock lock(target.mutex);
    Entry *entry = target.table.find(address_of(host), 0).entry;
    if (entry == nullptr)
        return target.shares_memory ? host : nullptr;
    target.check_rows(*entry, argument());
    entry->exposed = true;
    return reinterpret_cast<void *>(entry->device_of(address_of(host)));
}

void *acc_hostptr(void *memory)
{
    ApiCall call("acc_hostptr");
    Device &target = device();
    if (target.is_host)
        return memory;
    const Lock lock(target.mutex);
    const Entry *entry = target.table.find_device(address_of(memory));
    if (entry != nullptr)
        target.check_rows(*entry, argument());
    if (entry == nullptr)
        return target.shares_memory && !is_device_address(memory) ? memory : nullptr;
    return reinterpret_cast<void *>(entry->start + (address_of(memory) - entry->device));
}

int acc_is_present(void *host, size_t bytes)
{
    ApiCall call("acc_is_present");
    Device &target = device();
    if (target.shares_memory)
        return 1;
    const Lock lock(target.mutex);
    const Found found = target.table.find(address_of(host), bytes);
    return found.presence == Presence::present && found.entry->gaps == 0; // such a copy serves no clause
}

void *acc_copyin(void *host, size_t bytes)
{
    return enter("acc_copyin", host, bytes, true, sync_queue);
}

void acc_copyin_async(void *host, size_t bytes, int queue)
{
    enter("acc_copyin_async", host, bytes, true, queue);
}

void *acc_present_or_copyin(void *host, size_t bytes)
{
    return enter("acc_present_or_copyin", host, bytes, true, sync_queue);
}

void *acc_pcopyin(void *host, size_t bytes)
{
    return enter("acc_pcopyin", host, bytes, true, sync_queue);
}

void *acc_create(void *host, size_t bytes)
{
    return enter("acc_create", host, bytes, false, sync_queue);
}

void acc_create_async(void *host, size_t bytes, int queue)
{
    enter("acc_create_async", host, bytes, false, queue);
}

void *acc_present_or_create(void *host, size_t bytes)
{
    return enter("acc_present_or_create", host, bytes, false, sync_queue);
}

void *acc_pcreate(void *host, size_t bytes)
{
    return enter("acc_pcreate", host, bytes, false, sync_queue);
}

void acc_copyout(void *host, size_t bytes)
{
    leave("acc_copyout", host, bytes, true, false, sync_queue);
}

void acc_copyout_async(void *host, size_t bytes, int queue)
{
    leave("acc_copyout_async", host, bytes, true, false, queue);
}

void acc_copyout_finalize(void *host, size_t bytes)
{
    leave("acc_copyout_finalize", host, bytes, true, true, sync_queue);
}

void acc_copyout_finalize_async(void *host, size_t bytes, int queue)
{
    leave("acc_copyout_finalize_async", host, bytes, true, true, queue);
}

void acc_delete(void *host, size_t bytes)
{
    leave("acc_delete", host, bytes, false, false, sync_queue);
}

void acc_delete_async(void *host, size_t bytes, int queue)
{
    leave("acc_delete_async", host, bytes, false, false, queue);
}

void acc_delete_finalize(void *host, size_t bytes)
{
    leave("acc_delete_finalize", host, bytes, false, true, sync_queue);
}

void acc_delete_finalize_async(void *host, size_t bytes, int queue)
{
    leave("acc_delete_finalize_async", host, bytes, false, true, queue);
}

void acc_update_device(void *host, size_t bytes)
{
    update_bytes("acc_update_device", host, bytes, false, sync_queue);
}

void acc_update_device_async(void *host, size_t bytes, int queue)
{
    update_bytes("acc_update_device_async", host, bytes, false, queue);
}

void acc_update_self(void *host, size_t bytes)
{
    update_bytes("acc_update_self", host, bytes, true, sync_queue);
}

void acc_update_self_async(void *host, size_t bytes, int queue)
{
    update_bytes("acc_update_self_async", host, bytes, true, queue);
}

void acc_memcpy_to_device(void *to, void *host, size_t bytes)
{
    copy("acc_memcpy_to_device", to, host, bytes, cudaMemcpyHostToDevice, sync_queue);
}

void acc_memcpy_to_device_async(void *to, void *host, size_t bytes, int queue)
{
    copy("acc_memcpy_to_device_async", to, host, bytes, cudaMemcpyHostToDevice, queue);
}

void acc_memcpy_from_device(void *host, void *from, size_t bytes)
{
    copy("acc_memcpy_from_device", host, from, bytes, cudaMemcpyDeviceToHost, sync_queue);
}

void acc_memcpy_from_device_async(void *host, void *from, size_t bytes, int queue)
{
    copy("acc_memcpy_from_device_async", host, from, bytes, cudaMemcpyDeviceToHost, queue);
}

void acc_memcpy_device(void *to, void *from, size_t bytes)
{
    copy("acc_memcpy_device", to, from, bytes, cudaMemcpyDeviceToDevice, sync_queue);
}

void acc_memcpy_device_async(void *to, void *from, size_t bytes, int queue)
{
    copy("acc_memcpy_device_async", to, from, bytes, cudaMemcpyDeviceToDevice, queue);
}

void acc_memcpy_d2d(void *to_host, void *from_host, size_t bytes, int to_number, int from_number)
{
    copy_between("acc_memcpy_d2d", to_host, from_host, bytes, to_number, from_number, sync_queue);
}

void acc_memcpy_d2d_async(void *to_host, void *from_host, size_t bytes, int to_number, int from_number, int queue)
{
    copy_between("acc_memcpy_d2d_async", to_host, from_host, bytes, to_number, from_number, queue);
}

void acc_attach(void **pointer)
{
    attach("acc_attach", pointer, sync_queue);
}

void acc_attach_async(void **pointer, int queue)
{
    attach("acc_attach_async", pointer, queue);
}

void acc_detach(void **pointer)
{
    detach("acc_detach", pointer, false, sync_queue);
}

void acc_detach_async(void **pointer, int queue)
{
    detach("acc_detach_async", pointer, false, queue);
}

void acc_detach_finalize(void **pointer)
{
    detach("acc_detach_finalize", pointer, true, sync_queue);
}

void acc_detach_finalize_async(void **pointer, int queue)
{
    detach("acc_detach_finalize_async", pointer, true, queue);
}

} // extern "C"
