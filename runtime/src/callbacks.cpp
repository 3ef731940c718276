// SPDX-License-Identifier: 0BSD
#include "callbacks.hpp"

#include "profile.hpp"
#include "region.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace accrs {

namespace {

struct Registered {
    acc_event_t event;
    acc_callback callback;
    unsigned count; // it is called once, however often it was registered
    bool on;
    unsigned long long order; // of all registrations; the list is sorted by it
};

// Never destroyed: programs fail in their own destructors.
struct Registry {
    std::mutex mutex;
    std::vector<Registered> list;
    unsigned long long registrations = 0;
    std::array<bool, acc_ev_last> off{}; // whole events
    bool all_on = true;
};

Registry &registry()
{
    static Registry *const instance = new Registry;
    return *instance;
}

thread_local bool thread_on = true;

bool is_event(acc_event_t event)
{
    return event > acc_ev_none && event < acc_ev_last;
}

bool is_end(acc_event_t event)
{
    return event == acc_ev_device_init_end || event == acc_ev_device_shutdown_end ||
           (event >= acc_ev_enter_data_start && event <= acc_ev_wait_end && event % 2 != 0);
}

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

CallbackWalk::CallbackWalk(acc_event_t event) : event_(event), backwards_(is_end(event)), bound_(0)
{
    if (!backwards_)
        return;
    Registry &all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    bound_ = all.registrations;
}

acc_callback CallbackWalk::next()
{
    Registry &all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (!all.all_on || !thread_on || all.off[static_cast<std::size_t>(event_)])
        return nullptr;
    const Registered *found = nullptr;
    std::size_t before = 0;
    for (const Registered &known : all.list) {
        if (known.event != event_)
            continue;
        if (known.on && (backwards_ ? known.order < bound_ : known.order >= bound_)) {
            found = &known;
            rank_ = before;
            if (!backwards_)
                break;
        }
        ++before;
    }
    if (found == nullptr)
        return nullptr;
    bound_ = backwards_ ? found->order : found->order + 1;
    return found->callback;
}

namespace {

// Without a callback a whole event is switched, and with acc_ev_none everything.
void toggle(acc_event_t event, acc_callback callback, acc_register_t how, bool on)
{
    const bool everything = event == acc_ev_none && callback == nullptr;
    if (how == acc_toggle_per_thread) {
        if (everything)
            thread_on = on;
        return;
    }
    Registry &all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (everything)
        all.all_on = on;
    else if (callback == nullptr && is_event(event))
        all.off[static_cast<std::size_t>(event)] = !on;
    for (Registered &known : all.list)
        if (known.event == event && known.callback == callback)
            known.on = on;
}

Registered *find(Registry &all, acc_event_t event, acc_callback callback)
{
    for (Registered &known : all.list)
        if (known.event == event && known.callback == callback)
            return &known;
    return nullptr;
}

// The last event: no callback is called after it.
void shut_down()
{
    event(acc_ev_runtime_shutdown);
    profiling = false;
}

} // namespace

} // namespace accrs

using namespace accrs;

extern "C" {

void acc_callback_register(acc_event_t event, acc_callback callback, acc_register_t how)
{
    if (how != acc_reg)
        return toggle(event, callback, how, true);
    if (callback == nullptr || !is_event(event))
        return;
    Registry &all = registry();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (Registered *known = find(all, event, callback))
        ++known->count;
    else
        all.list.push_back({event, callback, 1, true, all.registrations++});
    static const bool at_exit = std::atexit(shut_down) == 0;
    (void)at_exit;
    profiling = true;
}

void acc_callback_unregister(acc_event_t event, acc_callback callback, acc_register_t how)
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

void acc_prof_register(acc_event_t event, acc_callback callback, acc_register_t how)
{
    acc_callback_register(event, callback, how);
}

void acc_prof_unregister(acc_event_t event, acc_callback callback, acc_register_t how)
{
    acc_callback_unregister(event, callback, how);
}

acc_query_fn acc_prof_lookup(const char *)
{
    return nullptr;
}

} // extern "C"
