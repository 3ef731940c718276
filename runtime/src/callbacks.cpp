// SPDX-License-Identifier: 0BSD
#include "callbacks.hpp"

#include "profile.hpp"
#include "region.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace accrs {

namespace {

struct Registered {
    acc_event_t event;
    acc_prof_callback callback;
    unsigned count; // it is called once, however often it was registered
    bool on;
};

// Never destroyed: programs fail in their own destructors.
struct Registry {
    std::mutex mutex;
    std::vector<Registered> list;
    bool all_on = true;
};

Registry &registry()
{
    static Registry *const instance = new Registry;
    return *instance;
}

thread_local bool thread_on = true;

struct Construct {
    const char *directive;
    acc_construct_t construct;
};

// The first whose words a directive begins with.
constexpr Construct constructs[] = {
    {"parallel", acc_construct_parallel},   {"kernels", acc_construct_kernels}, {"serial", acc_construct_serial},
    {"data", acc_construct_data},           {"enter", acc_construct_enter_data}, {"exit", acc_construct_exit_data},
    {"host_data", acc_construct_host_data}, {"declare", acc_construct_declare}, {"init", acc_construct_init},
    {"shutdown", acc_construct_shutdown},   {"set", acc_construct_set},         {"update", acc_construct_update},
    {"wait", acc_construct_wait},
};

} // namespace

std::atomic<bool> profiling{false};

acc_construct_t construct_of(const Place &place)
{
    if (place.file != nullptr && place.directive != nullptr)
        for (const Construct &known : constructs)
            if (std::strncmp(place.directive, known.directive, std::strlen(known.directive)) == 0)
                return known.construct;
    return acc_construct_runtime_api;
}

std::vector<acc_prof_callback> callbacks_of(acc_event_t event)
{
    Registry &all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    std::vector<acc_prof_callback> found;
    if (all.all_on && thread_on)
        for (const Registered &known : all.list)
            if (known.event == event && known.on)
                found.push_back(known.callback);
    return found;
}

namespace {

// Without a callback all of them are switched; acc_ev_none stands for every event then.
void toggle(acc_event_t event, acc_prof_callback callback, acc_register_t how, bool on)
{
    if (how == acc_toggle_per_thread) {
        if (event == acc_ev_none && callback == nullptr)
            thread_on = on;
        return;
    }
    Registry &all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (event == acc_ev_none && callback == nullptr)
        all.all_on = on;
    for (Registered &known : all.list)
        if (known.event == event && (callback == nullptr || known.callback == callback))
            known.on = on;
}

Registered *find(Registry &all, acc_event_t event, acc_prof_callback callback)
{
    for (Registered &known : all.list)
        if (known.event == event && known.callback == callback)
            return &known;
    return nullptr;
}

} // namespace

} // namespace accrs

using namespace accrs;

extern "C" {

void acc_prof_register(acc_event_t event, acc_prof_callback callback, acc_register_t how)
{
    if (how != acc_reg)
        return toggle(event, callback, how, true);
    if (callback == nullptr)
        return;
    Registry &all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (Registered *known = find(all, event, callback))
        ++known->count;
    else
        all.list.push_back({event, callback, 1, true});
    static const bool at_exit = std::atexit([] { accrs::event(acc_ev_runtime_shutdown); }) == 0;
    (void)at_exit;
    profiling = true;
}

void acc_prof_unregister(acc_event_t event, acc_prof_callback callback, acc_register_t how)
{
    if (how != acc_reg)
        return toggle(event, callback, how, false);
    Registry &all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    Registered *known = find(all, event, callback);
    if (known != nullptr && --known->count == 0)
        all.list.erase(all.list.begin() + (known - all.list.data()));
    profiling = !all.list.empty();
}

acc_query_fn acc_prof_lookup(const char *)
{
    return nullptr;
}

} // extern "C"
