// SPDX-License-Identifier: 0BSD
//
// What devices may use of each other's memory: nothing, but for managed memory, and where a program
// enables peer access. Copies may be between any two.
#include "cuda_runtime.hpp"
#include "emulated_device.hpp"

#include <bitset>
#include <cstdint>
#include <map>
#include <mutex>

namespace accrs::emulation {

namespace {

struct Peers {
    std::mutex mutex;
    std::bitset<most_devices> of[most_devices];
    std::map<std::uintptr_t, std::size_t> managed; // bytes by address
};

Peers &peers()
{
    static Peers *const instance = new Peers; // outlives every static object of the program
    return *instance;
}

int current()
{
    int device = 0;
    (void)cudaGetDevice(&device);
    return device;
}

cudaError_t set_access(int peer, bool is_enabled)
{
    const int device = current();
    if (!exists(peer) || peer == device)
        return finish(cudaErrorInvalidDevice);
    Peers &all = peers();
    const std::lock_guard<std::mutex> lock(all.mutex);
    auto enabled = all.of[device][static_cast<std::size_t>(peer)];
    if (enabled == is_enabled)
        return finish(is_enabled ? cudaErrorPeerAccessAlreadyEnabled : cudaErrorPeerAccessNotEnabled);
    enabled = is_enabled;
    return finish(cudaSuccess);
}

} // namespace

void share_with_all(const void *memory, std::size_t bytes)
{
    Peers &all = peers();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.managed[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
}

void share_no_more(const void *memory)
{
    Peers &all = peers();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.managed.erase(reinterpret_cast<std::uintptr_t>(memory));
}

bool may_use(int device, const void *pointer)
{
    const int owner = owner_of(pointer);
    Peers &all = peers();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (owner < 0 || owner == device || all.of[device][static_cast<std::size_t>(owner)])
        return true;
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    auto after = all.managed.upper_bound(address);
    return after != all.managed.begin() && address - (--after)->first < after->second;
}

} // namespace accrs::emulation

using namespace accrs::emulation;

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!exists(device) || !exists(peer))
        return finish(cudaErrorInvalidDevice);
    *can = device != peer ? 1 : 0;
    return finish(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return flags != 0 ? finish(cudaErrorInvalidValue) : set_access(peer, true);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    return set_access(peer, false);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, std::size_t bytes, cudaStream_t stream)
{
    if (!exists(to_device) || !exists(from_device))
        return finish(cudaErrorInvalidDevice);
    if (bytes != 0 && (owner_of(to) != to_device || owner_of(from) != from_device))
        return finish(cudaErrorInvalidValue);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, std::size_t bytes)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}
