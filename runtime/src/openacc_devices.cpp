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
#include <string>
#include <thread>

namespace accrs {

namespace {

bool is_gpu(acc_device_t type)
{
    return type == acc_device_nvidia || type == acc_device_not_host || type == acc_device_default;
}

// The device type of the host thread.
acc_device_t current_type()
{
    return on_host() ? acc_device_host : acc_device_nvidia;
}

acc_device_t resolve(acc_device_t type)
{
    if (type == acc_device_current)
        return current_type();
    if (type == acc_device_default)
        return host_by_environment() ? acc_device_host : acc_device_nvidia;
    return type == acc_device_host ? acc_device_host : acc_device_nvidia;
}

// Makes the device that a directive or routine names the current one. Number -1 keeps the current
// device of that type.
void select(acc_device_t type, int number)
{
    if (type == acc_device_none)
        fail(acc_error_device_type_unavailable, nullptr, "acc_device_none is no device");
    const acc_device_t wanted = resolve(type);
    const int count = wanted == acc_device_host ? 1 : device_count();
    if (number >= count)
        fail(acc_error_device_unavailable, nullptr,
             "there is no device %d: devices of this type are numbered from 0, and there are %d", number, count);
    if (wanted == acc_device_host)
        choose_host();
    else if (number >= 0)
        choose_device(number);
    else
        choose_gpu();
}

// The device that a routine with a device number means.
Device &numbered(int number)
{
    return number < 0 ? device() : device_numbered(number);
}

void initialise(acc_device_t type, int number)
{
    if (resolve(type) != acc_device_host)
        (void)gpu_numbered(number);
}

// What runs is waited for, and what enter data left is given back. The device itself stays, since
// a later directive may use it again.
void shut_down(acc_device_t type, int number)
{
    if (resolve(type) == acc_device_host)
        return;
    Device &target = gpu_numbered(number);
    const DeviceScope scope(target.number);
    const EventScope event(acc_ev_device_shutdown_start);
    target.wait_all();
    target.release_all();
}

void set_default_queue(int queue)
{
    check_queue(queue);
    current().default_async = queue == acc_async_default || queue == acc_async_noval ? 0 : queue;
}

// The index of a queue that is done; acc_async_sync stands for none, and -1 is returned where there
// are only such.
int any_finished(int count, const int *queues, Device &target)
{
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

const cudaDeviceProp &properties(int number)
{
    static thread_local cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, number), "asking for a device's properties");
    return properties;
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
    if (type != acc_device_none && resolve(type) == acc_device_host)
        return 1;
    return is_gpu(resolve(type)) && type != acc_device_none ? device_count() : 0;
}

void acc_set_device_type(acc_device_t type)
{
    ApiCall call("acc_set_device_type");
    select(type, -1);
}

acc_device_t acc_get_device_type(void)
{
    return current_type();
}

void acc_set_device_num(int number, acc_device_t type)
{
    ApiCall call("acc_set_device_num");
    select(type, number);
}

int acc_get_device_num(acc_device_t type)
{
    if (resolve(type) == acc_device_host)
        return 0;
    ApiCall call("acc_get_device_num");
    return any_gpu();
}

size_t acc_get_property(int number, acc_device_t type, acc_device_property_t property)
{
    ApiCall call("acc_get_property");
    if (resolve(type) == acc_device_host || number < 0 || number >= device_count())
        return 0;
    const DeviceScope scope(number);
    std::size_t free_bytes = 0, total = 0;
    check(cudaMemGetInfo(&free_bytes, &total), "asking for the device's memory");
    if (property == acc_property_memory)
        return total;
    return property == acc_property_free_memory ? free_bytes : 0;
}

const char *acc_get_property_string(int number, acc_device_t type, acc_device_property_t property)
{
    ApiCall call("acc_get_property_string");
    if (resolve(type) == acc_device_host || number < 0 || number >= device_count())
        return nullptr;
    static thread_local std::string driver;
    switch (property) {
    case acc_property_name:
        return properties(number).name;
    case acc_property_vendor:
        return ACCRS_EMULATED ? "accrs" : "NVIDIA";
    case acc_property_driver: {
        int version = 0;
        check(cudaDriverGetVersion(&version), "asking for the driver's version");
        driver = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
        return driver.c_str();
    }
    default:
        return nullptr;
    }
}

void acc_init(acc_device_t type)
{
    ApiCall call("acc_init");
    initialise(type, -1);
}

void acc_init_device(int number, acc_device_t type)
{
    ApiCall call("acc_init_device");
    initialise(type, number);
}

void acc_shutdown(acc_device_t type)
{
    ApiCall call("acc_shutdown");
    shut_down(type, -1);
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
    return numbered(number).finished(queue);
}

int acc_async_test_all(void)
{
    ApiCall call("acc_async_test_all");
    return device().all_finished();
}

int acc_async_test_all_device(int number)
{
    ApiCall call("acc_async_test_all_device");
    return numbered(number).all_finished();
}

void acc_wait(int queue)
{
    ApiCall call("acc_wait");
    device().wait(queue);
}

void acc_wait_device(int queue, int number)
{
    ApiCall call("acc_wait_device");
    numbered(number).wait(queue);
}

void acc_async_wait(int queue)
{
    acc_wait(queue);
}

int acc_wait_any(int count, int queues[])
{
    ApiCall call("acc_wait_any");
    return any_finished(count, queues, device());
}

int acc_wait_any_device(int count, int queues[], int number)
{
    ApiCall call("acc_wait_any_device");
    return any_finished(count, queues, numbered(number));
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
    Device &target = numbered(number);
    target.wait_async(queue, target, waiting);
}

void acc_wait_all(void)
{
    ApiCall call("acc_wait_all");
    device().wait_all();
}

void acc_wait_all_device(int number)
{
    ApiCall call("acc_wait_all_device");
    numbered(number).wait_all();
}

void acc_async_wait_all(void)
{
    acc_wait_all();
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
    Device &target = numbered(number);
    target.wait_all_async(target, waiting);
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
