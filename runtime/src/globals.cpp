// SPDX-License-Identifier: 0BSD
//
// Global variables that device functions name (OpenACC 3.3, 2.13). Wherever such a variable becomes
// present, by its declare directive or, with link, by a data clause, its device's pointer to it is
// set; it is null while the variable is absent. In shared memory it leads to the host's variable.
#include "device.hpp"

#include "../include/accrs/global.hpp"
#include "../include/accrs/launch.hpp"

#if ACCRS_EMULATED
#include "../emulation/streams.hpp"
#endif

#include <map>

namespace accrs {

namespace {

struct Reached {
    const void *global; // an accrs::Global of a kernel file
    std::size_t bytes;
};

// By the host's address: several files may name one variable. Never destroyed, as devices are not.
struct Globals {
    std::mutex mutex;
    std::atomic<bool> any{false};
    std::multimap<std::uintptr_t, Reached> list;
};

Globals &globals()
{
    static Globals *const instance = new Globals;
    return *instance;
}

void set(const Device &device, const void *global, std::uintptr_t copy, cudaStream_t stream)
{
#if ACCRS_EMULATED
    std::uintptr_t *own = static_cast<std::uintptr_t *>(const_cast<void *>(global)) + device.number;
    emulation::in_stream(stream, [=] { *own = copy; });
#else
    static_cast<void>(device);
    check(cudaMemcpyToSymbolAsync(global, &copy, sizeof copy, 0, cudaMemcpyHostToDevice, stream), "placing a global variable");
#endif
}

// Device functions find a variable by where it begins.
[[noreturn]] void fail_closed_up(const char *name)
{
    fail(acc_error_partly_present, "allocate whole rows of it",
         "device functions use '%s', and do not find its elements where the rows of a section are closed up", name);
}

} // namespace

void Device::tell_globals(const Entry &entry, bool present, const char *name)
{
    Globals &all = globals();
    // Kernels find globals where the device has them, also while a region runs on the host's memory.
    if (!all.any || entry.shared || origin != nullptr)
        return;
    const std::lock_guard<std::mutex> lock(all.mutex);
    bool changed = false;
    // Of an array that link names a part may be present: the pointer leads to where the whole would
    // begin.
    for (auto it = all.list.begin(); it != all.list.end() && it->first < entry.end(); ++it)
        if (it->first + it->second.bytes > entry.start) {
            if (present && entry.gaps != 0)
                fail_closed_up(name);
            const std::uintptr_t otherwise = shares_memory ? it->first : 0;
            set(*this, it->second.global, present ? entry.device_of(it->first) : otherwise, stream(current().queue));
            changed = true;
        }
    if (changed && current().queue == sync_queue)
        check(cudaStreamSynchronize(nullptr), "placing a global variable");
}

void Device::share_globals()
{
    Globals &all = globals();
    if (!all.any)
        return;
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (const auto &[host, reached] : all.list)
        set(*this, reached.global, host, nullptr);
    check(cudaStreamSynchronize(nullptr), "placing a global variable");
}

void reach(const void *global, const volatile void *host, std::size_t bytes)
{
    const auto address = reinterpret_cast<std::uintptr_t>(host);
    Globals &all = globals();
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        all.list.emplace(address, Reached{global, bytes});
        all.any = true;
    }
    // The file may belong to a library that is loaded while devices are in use.
    for_each_device([&](Device &target) {
        const DeviceScope scope(target.number);
        const std::lock_guard<std::recursive_mutex> lock(target.mutex);
        const Found found = target.table.find(address, 0);
        if (found.entry == nullptr) {
            if (target.shares_memory)
                set(target, global, address, target.stream(current().queue));
            return;
        }
        if (found.entry->gaps != 0)
            fail_closed_up(target.find_section(found.entry->base)->name);
        set(target, global, found.entry->device_of(address), target.stream(current().queue));
    });
}

} // namespace accrs
