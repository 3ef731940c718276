// SPDX-License-Identifier: 0BSD
//
// openacc.h: devices, properties and queues.
#include "../include/openacc.h"

#include "../include/accrs.h"
#include "../include/accrs/launch.hpp"
#include "api_call.hpp"
#include "device.hpp"

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string>

namespace accrs {

namespace {

bool is_gpu(acc_device_t type)
{
    return type == acc_device_nvidia || type == acc_device_not_host || type == acc_device_default;
}

// ACC_DEVICE_TYPE, in capitals or not.
acc_device_t type_from_environment()
{
    const char *text = std::getenv("ACC_DEVICE_TYPE");
    if (text == nullptr || *text == '\0')
        return acc_device_nvidia;
    std::string name;
    for (; *text != '\0'; ++text)
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(*text)));
    if (name == "host")
        return acc_device_host;
    if (name == "nvidia" || name == "not_host" || name == "default" || name == "gpu" || name == "emulated")
        return acc_device_nvidia;
    fail("expected host, nvidia, gpu, emulated, not_host or default", "ACC_DEVICE_TYPE is '%s'", name.c_str());
}

// The device type of the host thread.
acc_device_t &thread_type()
{
    static thread_local acc_device_t type = type_from_environment();
    return type;
}

int device_count()
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

acc_device_t resolve(acc_device_t type)
{
    if (type == acc_device_current)
        return thread_type();
    return type == acc_device_host ? acc_device_host : acc_device_nvidia;
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

int accrs_on_host(void)
{
    return thread_type() == acc_device_host;
}

int acc_get_num_devices(acc_device_t type)
{
    if (type == acc_device_host)
        return 1;
    return is_gpu(resolve(type)) && type != acc_device_none ? device_count() : 0;
}

void acc_set_device_type(acc_device_t type)
{
    ApiCall call("acc_set_device_type");
    if (type == acc_device_none)
        fail(nullptr, "acc_device_none is no device");
    thread_type() = resolve(type);
}

acc_device_t acc_get_device_type(void)
{
    return thread_type();
}

void acc_set_device_num(int number, acc_device_t type)
{
    ApiCall call("acc_set_device_num");
    if (number < 0)
        number = 0;
    const int count = acc_get_num_devices(type);
    if (number >= count)
        fail(nullptr, "there is no device %d: devices of this type are numbered from 0, and there are %d", number, count);
    thread_type() = resolve(type);
    if (thread_type() != acc_device_host && number != acc_get_device_num(type))
        fail("choose it by ACC_DEVICE_NUM for the whole program", "several devices in one program are not supported yet");
}

int acc_get_device_num(acc_device_t type)
{
    if (resolve(type) == acc_device_host)
        return 0;
    ApiCall call("acc_get_device_num");
    (void)device();
    int number = 0;
    check(cudaGetDevice(&number), "asking for the device");
    return number;
}

size_t acc_get_property(int number, acc_device_t type, acc_device_property_t property)
{
    ApiCall call("acc_get_property");
    if (resolve(type) == acc_device_host || number < 0 || number >= device_count())
        return 0;
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
    if (resolve(type) != acc_device_host)
        (void)device();
}

void acc_init_device(int, acc_device_t type)
{
    acc_init(type);
}

// What runs is waited for; the device itself stays, since a later directive may use it again.
void acc_shutdown(acc_device_t type)
{
    ApiCall call("acc_shutdown");
    if (resolve(type) != acc_device_host)
        device().wait_all();
}

void acc_shutdown_device(int, acc_device_t type)
{
    acc_shutdown(type);
}

int acc_async_test(int queue)
{
    ApiCall call("acc_async_test");
    return device().finished(queue);
}

int acc_async_test_device(int queue, int)
{
    return acc_async_test(queue);
}

int acc_async_test_all(void)
{
    ApiCall call("acc_async_test_all");
    return device().all_finished();
}

int acc_async_test_all_device(int)
{
    return acc_async_test_all();
}

void acc_wait(int queue)
{
    ApiCall call("acc_wait");
    device().wait(queue);
}

void acc_wait_device(int queue, int)
{
    acc_wait(queue);
}

void acc_async_wait(int queue)
{
    acc_wait(queue);
}

void acc_wait_async(int queue, int waiting)
{
    ApiCall call("acc_wait_async");
    device().wait_async(queue, waiting);
}

void acc_wait_device_async(int queue, int waiting, int)
{
    acc_wait_async(queue, waiting);
}

void acc_wait_all(void)
{
    ApiCall call("acc_wait_all");
    device().wait_all();
}

void acc_wait_all_device(int)
{
    acc_wait_all();
}

void acc_async_wait_all(void)
{
    acc_wait_all();
}

void acc_wait_all_async(int waiting)
{
    ApiCall call("acc_wait_all_async");
    device().wait_all_async(waiting);
}

void acc_wait_all_device_async(int waiting, int)
{
    acc_wait_all_async(waiting);
}

int acc_get_default_async(void)
{
    return device().default_async;
}

void acc_set_default_async(int queue)
{
    ApiCall call("acc_set_default_async");
    if (queue < acc_async_default)
        fail(nullptr, "there is no queue %d", queue);
    device().default_async = queue == acc_async_default || queue == acc_async_noval ? 0 : queue;
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
