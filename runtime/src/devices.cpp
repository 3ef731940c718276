// SPDX-License-Identifier: 0BSD
//
// All devices of the program, and which of them is the current one of a host thread.
#include "device.hpp"

#include "../include/accrs.h"
#include "../include/accrs/launch.hpp"

#include <cstdlib>
#include <memory>

namespace accrs {

namespace {

// A variable of declare outside of functions.
struct ProgramData {
    Place place;
    Section section;
    bool copied;
};

// Devices are never destroyed: programs use them in their own destructors.
struct Devices {
    std::mutex mutex;
    std::vector<Device *> list;
    std::vector<ProgramData> program_data; // of all files, each variable once
};

Devices &devices()
{
    static Devices *const instance = new Devices;
    return *instance;
}

int existing_count()
{
    const int count = device_count();
    if (count == 0)
        fail(acc_error_device_type_unavailable, "without a GPU, build for the emulation", "there is no CUDA device");
    return count;
}

// What ACC_DEVICE_NUM says, or no_device.
int number_from_environment()
{
    const char *text = std::getenv("ACC_DEVICE_NUM");
    if (text == nullptr || *text == '\0')
        return no_device;
    const int count = existing_count();
    char *end = nullptr;
    const long number = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < 0 || number >= count)
        fail(acc_error_device_unavailable, nullptr, "ACC_DEVICE_NUM is '%s', but there are %d devices, numbered from 0", text, count);
    return static_cast<int>(number);
}

int default_number()
{
    static const int from_environment = number_from_environment();
    if (from_environment != no_device)
        return from_environment;
    existing_count();
    int number = 0;
    check(cudaGetDevice(&number), "asking for the device");
    return number;
}

// Freed memory stays in the pool: the next allocation of a program's many costs little.
void keep_freed_memory(int number)
{
    cudaMemPool_t pool = nullptr;
    unsigned long long keep = ~0ull;
    check(cudaDeviceGetDefaultMemPool(&pool, number), "asking for the memory pool");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "setting up the memory pool");
}

// Structured and dynamic counts together keep it from being freed by any directive.
void enter_program_data(Device &target, const ProgramData &data)
{
    State &state = current();
    const Place place = state.place;
    const int queue = state.queue;
    state.place = data.place;
    state.queue = sync_queue;
    target.enter(data.section, {data.copied, false, false}, Count::structured);
    state.place = place;
    state.queue = queue;
}

// What this thread told CUDA last.
thread_local int cuda_device = no_device;

void make_current(int number)
{
    if (cuda_device == number)
        return;
    check(cudaSetDevice(number), "choosing the device");
    cuda_device = number;
}

} // namespace

int device_count()
{
    static const int count = [] {
        int found = 0;
        return cudaGetDeviceCount(&found) == cudaSuccess ? found : 0;
    }();
    return count;
}

Device &device_numbered(int number)
{
    if (number < 0 || number >= existing_count())
        fail(acc_error_device_unavailable, nullptr, "there is no device %d: devices are numbered from 0, and there are %d", number, device_count());
    Devices &all = devices();
    const auto index = static_cast<std::size_t>(number);
    std::unique_lock<std::mutex> lock(all.mutex);
    if (all.list.size() <= index)
        all.list.resize(index + 1);
    if (all.list[index] != nullptr)
        return *all.list[index];
    keep_freed_memory(number);
    Device &fresh = *(all.list[index] = new Device(number));
    const std::vector<ProgramData> program_data = all.program_data;
    // Whoever finds the device now waits for its data.
    const std::lock_guard<std::recursive_mutex> own(fresh.mutex);
    lock.unlock();
    if (!program_data.empty()) {
        const DeviceScope scope(number);
        for (const ProgramData &data : program_data)
            enter_program_data(fresh, data);
    }
    return fresh;
}

Device &device()
{
    // The devices that this thread has used: no lock on the way to a launch.
    static thread_local std::vector<Device *> known;
    State &state = current();
    if (state.device == no_device)
        state.device = default_number();
    const auto index = static_cast<std::size_t>(state.device);
    if (known.size() <= index)
        known.resize(index + 1);
    make_current(state.device); // before its first data arrives
    if (known[index] == nullptr)
        known[index] = &device_numbered(state.device);
    return *known[index];
}

void for_each_device(const std::function<void(Device &)> &act)
{
    Devices &all = devices();
    std::vector<Device *> running;
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        running = all.list;
    }
    for (Device *target : running)
        if (target != nullptr)
            act(*target);
}

void choose_device(int number)
{
    current().device = device_numbered(number).number;
    make_current(number);
}

DeviceScope::DeviceScope(int number) : before_(current().device)
{
    if (number != no_device && number != before_) {
        if (before_ == no_device)
            before_ = device().number;
        choose_device(number);
    }
}

DeviceScope::~DeviceScope()
{
    State &state = current();
    if (state.device != before_ && before_ != no_device) {
        state.device = before_;
        (void)cudaSetDevice(before_); // it was the current one before, so that it exists
        cuda_device = before_;
    }
}

} // namespace accrs

using namespace accrs;

extern "C" void accrs_program_data_add(const char *file, int line, const char *name, const volatile void *start,
                                       accrs_size length, int copied)
{
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    const ProgramData data{{file, line, "declare"}, {name, address, address, length}, copied != 0};
    Devices &all = devices();
    {
        const std::lock_guard<std::mutex> lock(all.mutex);
        for (const ProgramData &known : all.program_data)
            if (known.section.start == address)
                return;
        all.program_data.push_back(data);
    }
    // Devices that are in use before a library is loaded get its data now.
    for_each_device([&](Device &target) {
        const DeviceScope scope(target.number);
        const std::lock_guard<std::recursive_mutex> lock(target.mutex);
        enter_program_data(target, data);
    });
}
