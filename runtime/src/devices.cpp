// SPDX-License-Identifier: 0BSD
//
// All devices of the program, and which of them is the current one of a host thread.
#include "device.hpp"
#include "profile.hpp"

#include "../include/accrs.h"
#include "../include/accrs/launch.hpp"

#include <cctype>
#include <cstdlib>
#include <memory>
#include <string>

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

} // namespace

bool host_by_environment()
{
    static const bool host = [] {
        const char *text = std::getenv("ACC_DEVICE_TYPE");
        std::string name;
        for (; text != nullptr && *text != '\0'; ++text)
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(*text)));
        for (const char *gpu : {"", "nvidia", "not_host", "default", "gpu", "emulated"})
            if (name == gpu)
                return false;
        if (name != "host")
            fail(acc_error_device_type_unavailable, "expected host, nvidia, gpu, emulated, not_host or default", "ACC_DEVICE_TYPE is '%s'", name.c_str());
        return true;
    }();
    return host;
}

namespace {

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

namespace {

Device &host()
{
    static Device *const instance = new Device(host_device); // never destroyed, as the others
    return *instance;
}

// A GPU by its number, or the host.
Device &device_at(int number)
{
    if (number == host_device)
        return host();
    if (number < 0 || number >= existing_count())
        fail(acc_error_device_unavailable, nullptr, "there is no device %d: devices are numbered from 0, and there are %d", number, device_count());
    Devices &all = devices();
    const auto index = static_cast<std::size_t>(number);
    std::unique_lock<std::mutex> lock(all.mutex);
    if (all.list.size() <= index)
        all.list.resize(index + 1);
    if (all.list[index] != nullptr)
        return *all.list[index];
    const EventScope event(acc_ev_device_init_start);
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

} // namespace

Device &gpu_numbered(int number)
{
    return device_at(number < 0 ? any_gpu() : number);
}

Device &device_numbered(int number)
{
    if (!on_host())
        return device_at(number);
    if (number != 0)
        fail(acc_error_device_unavailable, nullptr, "there is no device %d: the host is the only one of its type, number 0", number);
    return host();
}

bool on_host()
{
    const State &state = current();
    return state.device == host_device || (state.device == no_device && host_by_environment());
}

Device &device()
{
    // The devices that this thread has used: no lock on the way to a launch.
    static thread_local std::vector<Device *> known;
    State &state = current();
    if (state.stage != nullptr)
        return *state.stage;
    if (state.device == no_device)
        state.device = host_by_environment() ? host_device : default_number();
    if (state.device == host_device)
        return host();
    const auto index = static_cast<std::size_t>(state.device);
    if (known.size() <= index)
        known.resize(index + 1);
    make_current(state.device); // before its first data arrives
    if (known[index] == nullptr)
        known[index] = &device_at(state.device);
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
    current().device = device_at(number).number;
    if (number != host_device)
        make_current(number);
}

void choose_host()
{
    State &state = current();
    if (state.device != host_device)
        state.before_host = state.device;
    state.device = host_device;
}

void choose_gpu()
{
    if (on_host())
        choose_device(any_gpu());
}

int any_gpu()
{
    const State &state = current();
    if (!on_host())
        return device().number;
    return state.device == host_device && state.before_host != no_device ? state.before_host : default_number();
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
        if (before_ == host_device)
            return;
        (void)cudaSetDevice(before_); // it was the current one before, so that it exists
        cuda_device = before_;
    }
}

} // namespace accrs

using namespace accrs;

extern "C" int accrs_on_host(void)
{
    return on_host();
}

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
