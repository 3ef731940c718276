// SPDX-License-Identifier: 0BSD
//
// All devices of the program, and which of them is the current one of a host thread.
#include "device.hpp"
#include "heap.hpp"
#include "profile.hpp"

#include "../include/accrs.h"
#include "../include/accrs/launch.hpp"

#include <algorithm>
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

    Device *find(std::size_t index)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        return index < list.size() ? list[index] : nullptr;
    }

    // The one of that index, which is `fresh` unless another thread was faster, and what it must have
    // before it is used.
    Device *add(std::size_t index, Device &fresh, std::vector<ProgramData> &wanted)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        list.resize(std::max(list.size(), index + 1));
        if (list[index] == nullptr)
            list[index] = &fresh;
        wanted = program_data;
        return list[index];
    }
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

// What this thread told CUDA last.
thread_local int cuda_device = no_device;

// A variable of the environment in small letters and without the blanks around it (chapter 4).
std::string value_of(const char *variable)
{
    const char *text = std::getenv(variable);
    std::string value = text == nullptr ? "" : text;
    const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    value.erase(std::find_if_not(value.rbegin(), value.rend(), is_blank).base(), value.end());
    value.erase(value.begin(), std::find_if_not(value.begin(), value.end(), is_blank));
    for (char &c : value)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return value;
}

// What ACC_DEVICE_NUM says, or no_device.
int number_from_environment()
{
    static const std::string text = value_of("ACC_DEVICE_NUM");
    if (text.empty())
        return no_device;
    const int count = existing_count();
    char *end = nullptr;
    const long number = std::strtol(text.c_str(), &end, 10);
    if (*end != '\0' || number < 0 || number >= count)
        fail(acc_error_device_unavailable, nullptr, "ACC_DEVICE_NUM is '%s', but there are %d devices, numbered from 0",
             text.c_str(), count);
    return static_cast<int>(number);
}

} // namespace

namespace {

bool has_cores = false;  // set before main
bool is_unified = false; // likewise

} // namespace

bool memory_is_unified()
{
    return is_unified;
}

bool host_by_environment()
{
    static const std::string type = value_of("ACC_DEVICE_TYPE");
    static const bool is_gpu = [] {
        const auto names = {"", "nvidia", "not_host", "default", "gpu", "emulated"};
        return std::find(names.begin(), names.end(), type) != names.end();
    }();
    static const bool is_open = type.empty() || type == "default";
    static const bool is_host = type == "host" || type == "multicore" || (is_open && ACCRS_EMULATED && has_cores);
    static std::atomic<bool> told{false}; // the callbacks of that error may ask, too
    if (!is_gpu && !is_host && !told.exchange(true))
        fail(acc_error_device_type_unavailable, "expected host, multicore, nvidia, gpu, emulated, not_host or default",
             "ACC_DEVICE_TYPE is '%s'", type.c_str());
    if (type == "multicore" && !has_cores && !told.exchange(true))
        fail(acc_error_device_type_unavailable, "build it with --device multicore, -acc=multicore or --multicore",
             "ACC_DEVICE_TYPE is 'multicore', for which this program is not built");
    return is_host;
}

int default_number()
{
    const int from_environment = number_from_environment();
    if (from_environment != no_device)
        return from_environment;
    existing_count();
    int number = 0;
    if (cuda_device == no_device)
        check(cudaGetDevice(&number), "asking for the device");
    return number;
}

namespace {

// What CUDA says where it is to begin to use a device.
void check_device(cudaError_t status, int number)
{
    if (status != cudaSuccess)
        fail(acc_error_device_init, nullptr, "device %d cannot be used: %s (%s)", number, cudaGetErrorString(status),
             cudaGetErrorName(status));
}

// Freed memory stays in the pool: the next allocation of a program's many costs little. The first, which
// costs some milliseconds, is made here, where the device is set up.
void keep_freed_memory(int number)
{
    cudaMemPool_t pool = nullptr;
    unsigned long long keep = ~0ull;
    check_device(cudaDeviceGetDefaultMemPool(&pool, number), number);
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "setting up the memory pool");
#if !ACCRS_EMULATED
    const DeviceScope scope(number);
    void *first = nullptr;
    check(cudaMallocAsync(&first, 1, nullptr), "setting up the memory pool");
    check(cudaFreeAsync(first, nullptr), "setting up the memory pool");
    check(cudaStreamSynchronize(nullptr), "setting up the memory pool");
#endif
}

// Before the first kernel that uses it.
void make_heap(int number)
{
    const std::size_t bytes = heap_bytes();
    if (bytes == 0)
        return;
    const DeviceScope scope(number);
    check(cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes), "making room for the device's heap");
}

// Structured and dynamic counts together keep it from being freed by any directive.
void enter_program_data(Device &target, const ProgramData &data)
{
    State &state = current();
    const Place place = state.place;
    const int queue = state.queue;
    state.place = data.place;
    state.queue = sync_queue;
    if (Entry *entry = target.enter(data.section, {data.copied, false, false}, Count::structured))
        entry->lasting = true;
    state.place = place;
    state.queue = queue;
}

void make_current(int number)
{
    if (cuda_device == number)
        return;
    check_device(cudaSetDevice(number), number);
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

using Lock = std::lock_guard<std::recursive_mutex>;

// Ends the program unless kernels of the device reach all of the host's memory.
void check_access(int number)
{
    int reaches = 0;
    check_device(cudaDeviceGetAttribute(&reaches, cudaDevAttrPageableMemoryAccess, number), number);
    if (reaches != 0)
        return;
    cudaDeviceProp properties{};
    check_device(cudaGetDeviceProperties(&properties, number), number);
    fail(acc_error_device_unavailable, "build it with --memory separate, which copies data by its clauses",
         "this program is built for unified memory, and device %d (%s) does not reach the host's memory", number,
         properties.name);
}

void make_ready(Device &fresh, const std::vector<ProgramData> &program_data)
{
    if (fresh.shares_memory)
        check_access(fresh.number);
    {
        const EventScope event(acc_ev_device_init_start);
        keep_freed_memory(fresh.number);
        make_heap(fresh.number);
    }
    if (!program_data.empty()) {
        const DeviceScope scope(fresh.number);
        for (const ProgramData &data : program_data)
            enter_program_data(fresh, data);
    }
    if (fresh.shares_memory) {
        const DeviceScope scope(fresh.number);
        fresh.share_globals();
    }
    fresh.ready = true;
}

Device &gpu_at(int number)
{
    if (number < 0 || number >= existing_count())
        fail(acc_error_device_unavailable, nullptr, "there is no device %d: devices are numbered from 0, and there are %d", number, device_count());
    Devices &all = devices();
    const auto index = static_cast<std::size_t>(number);
    Device *known = all.find(index);
    if (known == nullptr) {
        auto fresh = std::make_unique<Device>(number);
        // Whoever finds the device waits until it is ready; callbacks of this thread do not.
        const Lock own(fresh->mutex);
        std::vector<ProgramData> program_data;
        known = all.add(index, *fresh, program_data);
        if (known == fresh.get()) {
            make_ready(*fresh.release(), program_data);
            return *known;
        }
    }
    if (!known->ready)
        const Lock until_it_is(known->mutex);
    return *known;
}

// A GPU by its number, or the host.
Device &device_at(int number)
{
    return number == host_device ? host() : gpu_at(number);
}

} // namespace

Device &gpu_numbered(int number)
{
    return gpu_at(number < 0 ? any_gpu() : number);
}

Device &device_numbered(int number)
{
    if (!on_host())
        return gpu_at(number);
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
    State &state = current();
    std::vector<Device *> &known = state.devices;
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

extern "C" void accrs_multicore(void)
{
    has_cores = true;
}

extern "C" void accrs_unified(void)
{
    for_each_device([](const Device &known) {
        if (!known.shares_memory)
            fail("build the program and its libraries with the same --memory",
                 "a library is loaded that is built for unified memory, and device %d has copies of data already", known.number);
    });
    is_unified = true;
}

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
