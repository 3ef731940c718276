// SPDX-License-Identifier: 0BSD
//
// openacc.h: devices, properties and queues.
#include "../include/openacc.h"

#include "../include/accrs.h"
#include "../include/accrs/launch.hpp"
#include "api_call.hpp"
#include "device.hpp"
#include "profile.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace accrs {

namespace {

// The device type of the host thread.
acc_device_t current_type()
{
    return on_host() ? acc_device_host : acc_device_nvidia;
}

// acc_device_host or acc_device_nvidia; acc_device_none for a type that there is none of.
acc_device_t resolve(acc_device_t type)
{
    switch (type) {
    case acc_device_current:
        return current_type();
    case acc_device_default:
        return host_by_environment() ? acc_device_host : acc_device_nvidia;
    case acc_device_host:
        return acc_device_host;
    case acc_device_not_host:
    case acc_device_nvidia:
        return acc_device_nvidia;
    default:
        return acc_device_none;
    }
}

int count_of(acc_device_t resolved)
{
    if (resolved == acc_device_host)
        return 1;
    return resolved == acc_device_nvidia ? device_count() : 0;
}

// The same, where there must be one, and the number must be given as one of them or not at all.
acc_device_t available(acc_device_t type, int number)
{
    const acc_device_t found = resolve(type);
    const int count = count_of(found);
    if (count == 0)
        fail(acc_error_device_type_unavailable, "without a GPU, build for the emulation, or choose acc_device_host",
             "there is no device of type %d", static_cast<int>(type));
    if (number != accrs_no_number && (number < 0 || number >= count))
        fail(acc_error_device_unavailable, nullptr,
             "there is no device %d: devices of this type are numbered from 0, and there are %d", number, count);
    return found;
}

// Makes the device that a directive or routine names the current one. Without a number that is the
// current device of the type, with a negative one the one that the program began with.
void select(acc_device_t type, int number)
{
    const bool is_given = number != accrs_no_number && number >= 0;
    const acc_device_t wanted = available(type, is_given ? number : accrs_no_number);
    if (wanted == acc_device_host)
        choose_host();
    else if (is_given)
        choose_device(number);
    else if (number == accrs_no_number)
        choose_gpu();
    else
        choose_device(default_number());
}

// A type without a number is its current device: others begin when they are used, and cost nothing before.
void initialise(acc_device_t type, int number)
{
    (void)available(type, number);
    select(type, number);
    (void)device();
}

// What runs is waited for, and all data lifetimes end. The device itself stays, since a later
// directive may use it again.
void shut_down(Device &target)
{
    const DeviceScope scope(target.number);
    const EventScope event(acc_ev_device_shutdown_start);
    target.wait_all();
    target.wait_nowait();
    target.release_all();
}

void shut_down(acc_device_t type, int number)
{
    if (available(type, number) == acc_device_host)
        return;
    for_each_device([&](Device &target) {
        if (number == accrs_no_number || target.number == number)
            shut_down(target);
    });
}

void set_default_queue(int queue)
{
    check_queue(queue);
    if (queue != acc_async_noval)
        current().default_async = queue == acc_async_default ? 0 : queue;
}

// The index of a queue that is done; acc_async_sync stands for none, and -1 is returned where there
// are only such.
int any_finished(int count, const int *queues, Device &target)
{
    if (count < 0)
        fail(acc_error_invalid_argument, "give the length of the array", "%d queues to wait for", count);
    for (;;) {
        int waiting = 0;
        for (int i = 0; i < count; ++i) {
            if (queues[i] == acc_async_sync)
                continue;
            if (target.finished(queues[i]))
                return i;
            ++waiting;
        }
        if (waiting == 0)
            return -1;
        std::this_thread::yield();
    }
}

// What the strings that the program is given are part of: never destroyed.
const cudaDeviceProp &properties(int number)
{
    static std::mutex mutex;
    static auto *const known = new std::map<int, cudaDeviceProp>;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = known->emplace(number, cudaDeviceProp{});
    if (found.second)
        check(cudaGetDeviceProperties(&found.first->second, number), "asking for a device's properties");
    return found.first->second;
}

const char *driver_version()
{
    static const std::string text = [] {
        int version = 0;
        check(cudaDriverGetVersion(&version), "asking for the driver's version");
        return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    }();
    return text.c_str();
}

// The GPU whose property is asked for; no_device where there is none, or it is the host.
int asked_gpu(int number, acc_device_t type)
{
    if (resolve(type) != acc_device_nvidia || device_count() == 0)
        return no_device;
    if (type == acc_device_current)
        return any_gpu();
    return number >= 0 && number < device_count() ? number : no_device;
}

} // namespace

} // namespace accrs

using namespace accrs;

extern "C" {

void accrs_init_device(int type, int number)
{
    initialise(static_cast<acc_device_t>(type), number);
}

void accrs_shutdown_device(int type, int number)
{
    shut_down(static_cast<acc_device_t>(type), number);
}

void accrs_set_device(int type, int number)
{
    select(static_cast<acc_device_t>(type), number);
}

void accrs_set_default_async(int queue)
{
    set_default_queue(queue);
}

int acc_get_num_devices(acc_device_t type)
{
    return count_of(resolve(type));
}

void acc_set_device_type(acc_device_t type)
{
    ApiCall call("acc_set_device_type");
    select(type, accrs_no_number);
}

acc_device_t acc_get_device_type(void)
{
    return current_type();
}

void acc_set_device_num(int number, acc_device_t type)
{
    ApiCall call("acc_set_device_num");
    select(type == acc_device_none ? acc_device_current : type, number); // 0 is every type
}

int acc_get_device_num(acc_device_t type)
{
    ApiCall call("acc_get_device_num");
    const acc_device_t found = resolve(type);
    if (count_of(found) == 0)
        return -1;
    return found == acc_device_host ? 0 : any_gpu();
}

size_t acc_get_property(int number, acc_device_t type, acc_device_property_t property)
{
    ApiCall call("acc_get_property");
    const bool is_shared = property == acc_property_shared_memory_support;
    if (is_shared && resolve(type) == acc_device_host)
        return number == 0 || type == acc_device_current;
    const int gpu = asked_gpu(number, type);
    if (is_shared)
        return gpu != no_device && memory_is_unified();
    if (gpu == no_device || (property != acc_property_memory && property != acc_property_free_memory))
        return 0;
    const DeviceScope scope(gpu);
    std::size_t free_bytes = 0, total = 0;
    check(cudaMemGetInfo(&free_bytes, &total), "asking for the device's memory");
    return property == acc_property_memory ? total : free_bytes;
}

const char *acc_get_property_string(int number, acc_device_t type, acc_device_property_t property)
{
    ApiCall call("acc_get_property_string");
    const int gpu = asked_gpu(number, type);
    if (gpu == no_device)
        return nullptr;
    switch (property) {
    case acc_property_name:
        return properties(gpu).name;
    case acc_property_vendor:
        return ACCRS_EMULATED ? "accrs" : "NVIDIA";
    case acc_property_driver:
        return driver_version();
    default:
        return nullptr;
    }
}

void acc_init(acc_device_t type)
{
    ApiCall call("acc_init");
    initialise(type, accrs_no_number);
}

void acc_init_device(int number, acc_device_t type)
{
    ApiCall call("acc_init_device");
    initialise(type, number);
}

void acc_shutdown(acc_device_t type)
{
    ApiCall call("acc_shutdown");
    shut_down(type, accrs_no_number);
}

void acc_shutdown_device(int number, acc_device_t type)
{
    ApiCall call("acc_shutdown_device");
    shut_down(type, number);
}

int acc_async_test(int queue)
{
    ApiCall call("acc_async_test");
    return device().finished(queue);
}

int acc_async_test_device(int queue, int number)
{
    ApiCall call("acc_async_test_device");
    return device_numbered(number).finished(queue);
}

int acc_async_test_all(void)
{
    ApiCall call("acc_async_test_all");
    return device().all_finished();
}

int acc_async_test_all_device(int number)
{
    ApiCall call("acc_async_test_all_device");
    return device_numbered(number).all_finished();
}

void acc_wait(int queue)
{
    ApiCall call("acc_wait");
    device().wait(queue);
}

void acc_wait_device(int queue, int number)
{
    ApiCall call("acc_wait_device");
    device_numbered(number).wait(queue);
}

void acc_async_wait(int queue)
{
    ApiCall call("acc_async_wait");
    device().wait(queue);
}

int acc_wait_any(int count, int queues[])
{
    ApiCall call("acc_wait_any");
    return any_finished(count, queues, device());
}

int acc_wait_any_device(int count, int queues[], int number)
{
    ApiCall call("acc_wait_any_device");
    return any_finished(count, queues, device_numbered(number));
}

void acc_wait_async(int queue, int waiting)
{
    ApiCall call("acc_wait_async");
    Device &target = device();
    target.wait_async(queue, target, waiting);
}

void acc_wait_device_async(int queue, int waiting, int number)
{
    ApiCall call("acc_wait_device_async");
    device_numbered(number).wait_async(queue, device(), waiting);
}

void acc_wait_all(void)
{
    ApiCall call("acc_wait_all");
    device().wait_all();
}

void acc_wait_all_device(int number)
{
    ApiCall call("acc_wait_all_device");
    device_numbered(number).wait_all();
}

void acc_async_wait_all(void)
{
    ApiCall call("acc_async_wait_all");
    device().wait_all();
}

void acc_wait_all_async(int waiting)
{
    ApiCall call("acc_wait_all_async");
    Device &target = device();
    target.wait_all_async(target, waiting);
}

void acc_wait_all_device_async(int waiting, int number)
{
    ApiCall call("acc_wait_all_device_async");
    device_numbered(number).wait_all_async(device(), waiting);
}

int acc_get_default_async(void)
{
    return current().default_async;
}

void acc_set_default_async(int queue)
{
    ApiCall call("acc_set_default_async");
    set_default_queue(queue);
}

void *acc_get_cuda_stream(int queue)
{
    ApiCall call("acc_get_cuda_stream");
    return device().stream(queue);
}

int acc_on_device(acc_device_t type)
{
    return type == acc_device_host;
}

} // extern "C"
