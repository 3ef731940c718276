// SPDX-License-Identifier: 0BSD
//
// accrs.h: regions, the places of standalone directives, and their modifiers.
#include "region.hpp"

#include "../include/accrs.h"
#include "device.hpp"
#include "profile.hpp"
#if ACCRS_CHECKED
#include "../checks/coherence.hpp"
#include "../checks/compare.hpp"
#endif

#include <cstring>
#include <utility>

namespace accrs {

namespace {

// Neither has a destructor: handlers of exit come after the ends of a thread's objects, and call the
// runtime, too. What the thread has chosen holds for them.
thread_local State *own_state = nullptr;
thread_local Choices last_choices;

struct StateEnd {
    ~StateEnd()
    {
        last_choices = *own_state;
        delete own_state;
        own_state = nullptr;
    }
};

State &new_state()
{
    own_state = new State;
    static_cast<Choices &>(*own_state) = last_choices;
    static thread_local StateEnd end;
    (void)end;
    return *own_state;
}

} // namespace

State &current()
{
    return own_state != nullptr ? *own_state : new_state();
}

int chosen_queue(int queue)
{
    return queue == noval_queue || queue == default_queue ? current().default_async : queue;
}

Region &innermost(const char *call)
{
    State &state = current();
    if (state.regions.empty())
        fail(nullptr, "%s outside any region", call);
    return state.regions.back();
}

void settle()
{
    State &state = current();
    const Pending pending = std::exchange(state.pending, {});
    if (pending.device == nullptr)
        return;
    // What went wrong went wrong there.
    const Place here = std::exchange(state.place, pending.place);
    pending.device->wait_nowait();
    state.place = here;
}

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

bool is_compute(const char *directive)
{
    for (const char *construct : {"parallel", "kernel", "serial"})
        if (profiling && std::strncmp(directive, construct, std::strlen(construct)) == 0)
            return true;
    return false;
}

void set_place(const char *file, int line, const char *directive, const char *function)
{
    State &state = current();
    state.place = {file, line, directive, function, ++state.arrivals};
    state.queue = sync_queue;
    state.if_present = state.finalize = state.at_region = false;
    state.dimensions.clear();
    state.announced = Announced();
}

void undo(Device &target, const Clause &clause)
{
    const Section s{clause.name, clause.base, clause.start, clause.length};
    current().implicit = clause.implicit;
    switch (clause.at_end) {
    case Action::none:
        break;
    case Action::copy_out:
        target.leave_entry(*clause.entry, s, {true, false, clause.always}, Count::structured);
        break;
    case Action::release:
        target.leave_entry(*clause.entry, s, {}, Count::structured);
        break;
    case Action::detach:
        target.detach(clause.name, clause.start, false);
        break;
    }
}

// The device whose queues a directive names.
Device &waited_device()
{
    Device &target = device();
    return target.origin != nullptr ? *target.origin : target;
}

// The region's queue waits if it has one, else the host.
void wait_for(Device &source, int queue)
{
    const State &state = current();
    if (state.queue == sync_queue)
        source.wait(queue);
    else
        source.wait_async(queue, device(), state.queue);
}

void wait_for_all(Device &source)
{
    const State &state = current();
    if (state.queue == sync_queue)
        source.wait_all();
    else
        source.wait_all_async(device(), state.queue);
}

} // namespace

} // namespace accrs

using namespace accrs;

extern "C" {

void (accrs_begin)(const char *file, int line, const char *directive, const char *function)
{
    set_place(file, line, directive, function);
    State &state = current();
    state.regions.push_back(
        {state.place, sync_queue, state.device, std::exchange(state.room, {}), {}, nullptr, false, is_compute(directive)});
    state.at_region = true;
    if (!state.regions.back().is_compute)
        return;
    ToolInfo left; // the callbacks may open regions
    event(acc_ev_compute_construct_start, {}, &left);
    state.regions.back().tool_info = std::move(left);
}

void (accrs_begin_windows)(const char *file, int line, const char *directive, int on_device, const char *function)
{
    (accrs_begin)(file, line, directive, function);
    if (on_device && !on_host())
        return;
    State &state = current();
    Device &known = device();
    const int gpu = any_gpu();
    (void)gpu_numbered(gpu);
    Region &region = state.regions.back();
    region.stage = std::make_shared<Device>(gpu, &known);
    region.device = state.device;
    choose_device(gpu);
    state.stage = region.stage.get();
}

void (accrs_begin_kernel)(const char *file, int line, const char *directive, const char *function)
{
    settle();
    (accrs_begin)(file, line, directive, function);
    (void)device();
    Region &region = current().regions.back();
    region.is_kernel = true;
    if (!on_host())
        return;
    region.device = current().device;
    region.left_host = true;
    choose_device(any_gpu());
}

void accrs_nowait(void)
{
    innermost("accrs_nowait").queue = nowait_queue;
    current().queue = nowait_queue;
}

void accrs_settle(void)
{
    settle();
}

void accrs_settle_scope(char *)
{
    settle();
}

void accrs_end(void)
{
#if ACCRS_CHECKED
    checks::launcher_runs = false;
    checks::construct_has_run();
#endif
    State &state = current();
    Region region = std::move(innermost("accrs_end"));
    state.regions.pop_back();
    state.place = region.place;
    state.queue = region.queue;
    state.finalize = state.at_region = false;
    if (!region.clauses.empty()) {
        const EventScope leaving(acc_ev_exit_data_start);
        const DeviceScope scope(region.stage ? no_device : region.device);
        Device &target = device();
        const Lock lock(target.mutex);
        // Detaching first: the copy of a pointer must not outlive its target.
        for (auto clause = region.clauses.rbegin(); clause != region.clauses.rend(); ++clause)
            undo(target, *clause);
        state.implicit = false;
    }
    region.clauses.clear();
    if (region.clauses.capacity() > state.room.capacity())
        state.room = std::move(region.clauses);
    if (region.queue == nowait_queue) {
        state.pending = {&device(), region.place};
        state.queue = sync_queue;
    }
    if (region.stage)
        state.stage = nullptr;
    if (region.stage || region.left_host)
        choose_device(region.device);
    if (region.is_compute)
        event(acc_ev_compute_construct_end, {}, &region.tool_info);
}

void accrs_end_scope(char *)
{
    accrs_end();
}

void (accrs_at)(const char *file, int line, const char *directive, const char *function)
{
    set_place(file, line, directive, function);
}

void accrs_async(int queue)
{
    State &state = current();
    check_queue(queue);
    if (state.stage != nullptr)
        return; // the host waits
    state.queue = chosen_queue(queue);
    if (state.at_region)
        state.regions.back().queue = state.queue;
}

void accrs_if_present(void)
{
    current().if_present = true;
}

void accrs_finalize(void)
{
    current().finalize = true;
}

void accrs_wait(int queue)
{
    wait_for(waited_device(), queue);
}

void accrs_wait_all(void)
{
    wait_for_all(waited_device());
}

void accrs_wait_device(int number, int queue)
{
    wait_for(device_numbered(number), queue);
}

void accrs_wait_all_device(int number)
{
    wait_for_all(device_numbered(number));
}

void accrs_rows(accrs_offset offset, accrs_size length)
{
    current().announced.levels.push_back({offset, length});
}

void accrs_zero(void)
{
    current().announced.zero = true;
}

void accrs_always_in(void)
{
    current().announced.always_in = true;
}

void accrs_always_out(void)
{
    current().announced.always_out = true;
}

void accrs_written(int written)
{
    current().announced.written = written != 0 ? Written::yes : Written::no;
}

void accrs_extent_unknown(const char *why)
{
    current().announced.extent_unknown = why;
}

} // extern "C"
