// SPDX-License-Identifier: 0BSD
//
// Device memory: one reserved range of addresses, apart from all the host's, a part of it for each
// device, from which allocations are taken first fit. What is allocated is filled with 0xCB, so that a program that
// reads what it never wrote gets the same nonsense every time (as a float about -2.7e7).
#include "cuda_runtime.hpp"
#include "emulated_device.hpp"
#include "processor.hpp"
#include "streams.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace accrs::emulation {

namespace {

constexpr int poison = 0xCB;
constexpr std::size_t alignment = 512; // what cudaMalloc gives
constexpr std::size_t commit_step = std::size_t(1) << 20;
#if ACCRS_WATCHED
constexpr std::size_t most_reserved = std::size_t(1) << 38; // what is known of it takes thirty times as much
#else
constexpr std::size_t most_reserved = std::size_t(1) << 40;
#endif
constexpr std::size_t least_reserved = std::size_t(1) << 30;
constexpr std::size_t worth_returning = std::size_t(1) << 20;

std::size_t physical_bytes()
{
    if (const char *text = std::getenv("ACCRS_EMULATED_MEMORY")) {
        const long mib = std::strtol(text, nullptr, 10);
        if (mib > 0)
            return static_cast<std::size_t>(mib) << 20;
    }
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Variables of the device whose addresses the program has, with their sizes.
class Symbols {
public:
    void add(const void *symbol, std::size_t bytes)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        sizes_[static_cast<const char *>(symbol)] = bytes;
    }

    bool hold(const void *pointer, std::size_t bytes)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const char *const address = static_cast<const char *>(pointer);
        auto after = sizes_.upper_bound(address);
        if (after == sizes_.begin())
            return false;
        --after;
        const auto offset = static_cast<std::size_t>(address - after->first);
        return offset < after->second && bytes <= after->second - offset;
    }

private:
    std::mutex mutex_;
    std::map<const char *, std::size_t> sizes_;
};

Symbols &symbols()
{
    static Symbols *const instance = new Symbols; // outlives every static object of the program
    return *instance;
}

// The memory of one device.
class Arena {
public:
    Arena(char *base, std::size_t reserved) : base_(base), reserved_(reserved), total_(physical_bytes()) {}

    void *allocate(std::size_t bytes)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (bytes > total_ - used_)
            return nullptr;
        const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
        char *start = take(rounded + watch::gap(rounded));
        if (start == nullptr)
            return nullptr;
        allocated_[start] = rounded;
        used_ += rounded;
        std::memset(start, poison, rounded);
        watch::allocated(start, bytes);
        return start;
    }

    bool release(void *pointer)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = allocated_.find(static_cast<char *>(pointer));
        if (found == allocated_.end())
            return false;
        const std::size_t bytes = found->second;
        used_ -= bytes;
        watch::released(static_cast<char *>(pointer), bytes);
        allocated_.erase(found);
        if (bytes >= worth_returning)
            return_pages(static_cast<char *>(pointer), bytes);
        put_back(static_cast<char *>(pointer), bytes + watch::gap(bytes));
        return true;
    }

    // Whether the bytes lie within one allocation.
    bool holds(const void *pointer, std::size_t bytes)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        auto address = const_cast<char *>(static_cast<const char *>(pointer));
        auto after = allocated_.upper_bound(address);
        if (after == allocated_.begin())
            return false;
        --after;
        const auto offset = static_cast<std::size_t>(address - after->first);
        return offset <= after->second && bytes <= after->second - offset;
    }

    // Of the allocation that begins there; 0: none does.
    std::size_t size_of(void *pointer)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = allocated_.find(static_cast<char *>(pointer));
        return found == allocated_.end() ? 0 : found->second;
    }

    void information(std::size_t *free_bytes, std::size_t *total)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        *free_bytes = total_ - used_;
        *total = total_;
    }

private:
    char *take(std::size_t bytes)
    {
        for (auto it = free_.begin(); it != free_.end(); ++it) {
            if (it->second < bytes)
                continue;
            char *start = it->first;
            const std::size_t rest = it->second - bytes;
            free_.erase(it);
            if (rest != 0)
                free_[start + bytes] = rest;
            return start;
        }
        if (bytes > reserved_ - top_ || !commit(top_ + bytes))
            return nullptr;
        char *start = base_ + top_;
        top_ += bytes;
        return start;
    }

    bool commit(std::size_t end)
    {
        if (end <= committed_)
            return true;
        const std::size_t to = (end + commit_step - 1) / commit_step * commit_step;
        if (mprotect(base_ + committed_, to - committed_, PROT_READ | PROT_WRITE) != 0)
            return false;
        committed_ = to;
        return true;
    }

    void put_back(char *start, std::size_t bytes)
    {
        auto after = free_.lower_bound(start);
        if (after != free_.end() && start + bytes == after->first) {
            bytes += after->second;
            after = free_.erase(after);
        }
        if (after != free_.begin()) {
            auto before = after;
            --before;
            if (before->first + before->second == start) {
                before->second += bytes;
                return;
            }
        }
        free_[start] = bytes;
    }

    static void return_pages(char *start, std::size_t bytes)
    {
        const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        const std::uintptr_t from = (reinterpret_cast<std::uintptr_t>(start) + page - 1) / page * page;
        const std::uintptr_t to = (reinterpret_cast<std::uintptr_t>(start) + bytes) / page * page;
        if (to > from)
            (void)madvise(reinterpret_cast<void *>(from), to - from, MADV_DONTNEED);
    }

    std::mutex mutex_;
    char *const base_;
    const std::size_t reserved_;
    // The first step is never allocated: a read a few rows before the first allocation stays in the arena. It is no
    // fault of the process, as on most GPUs, and the checks name the allocation.
    std::size_t committed_ = 0, top_ = commit_step, used_ = 0;
    const std::size_t total_;
    std::map<char *, std::size_t> allocated_, free_;
};

// The memories of all devices, side by side in one range of addresses.
class Memory {
public:
    Memory()
    {
        // As much as the process may reserve; addresses cost nothing until they are used.
        for (std::size_t reserved = most_reserved; reserved >= least_reserved; reserved /= 2) {
            void *memory = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (memory == MAP_FAILED)
                continue;
            const auto count = static_cast<std::size_t>(device_count());
            base_ = static_cast<char *>(memory);
            each_ = reserved / count / commit_step * commit_step;
            for (std::size_t device = 0; device < count; ++device)
                arenas_.push_back(new Arena(base_ + device * each_, each_));
            watch::memory_reserved(base_, each_ * count, static_cast<int>(count));
            return;
        }
        std::fprintf(stderr, "accrs: emulation: cannot reserve addresses for device memory\n");
        std::exit(1);
    }

    // The device whose memory an address is in; -1: none.
    int owner(const void *pointer) const
    {
        const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(base_);
        return offset < each_ * arenas_.size() ? static_cast<int>(offset / each_) : -1;
    }

    bool contains(const void *pointer) const { return owner(pointer) >= 0 || symbols().hold(pointer, 0); }

    // Whether the bytes lie within one allocation.
    bool holds(const void *pointer, std::size_t bytes) const
    {
        const int device = owner(pointer);
        return device >= 0 ? of(device).holds(pointer, bytes) : symbols().hold(pointer, bytes);
    }

    bool release(void *pointer) const
    {
        const int device = owner(pointer);
        return device >= 0 && of(device).release(pointer);
    }

    std::size_t size_of(void *pointer) const
    {
        const int device = owner(pointer);
        return device >= 0 ? of(device).size_of(pointer) : 0;
    }

    Arena &of(int device) const { return *arenas_[static_cast<std::size_t>(device)]; }

private:
    char *base_ = nullptr;
    std::size_t each_ = 0;
    std::vector<Arena *> arenas_;
};

Memory &memory()
{
    static Memory *const instance = new Memory; // outlives every static object of the program
    return *instance;
}

Arena &own_memory()
{
    int device = 0;
    (void)cudaGetDevice(&device);
    return memory().of(device);
}

// A copy's device side must lie in device memory, its host side must not.
bool sides_are_right(const void *to, std::size_t to_bytes, const void *from, std::size_t from_bytes, cudaMemcpyKind kind)
{
    const bool to_device = memory().contains(to);
    const bool from_device = memory().contains(from);
    switch (kind) {
    case cudaMemcpyHostToHost:
        return !to_device && !from_device;
    case cudaMemcpyHostToDevice:
        return memory().holds(to, to_bytes) && !from_device;
    case cudaMemcpyDeviceToHost:
        return !to_device && memory().holds(from, from_bytes);
    case cudaMemcpyDeviceToDevice:
        return memory().holds(to, to_bytes) && memory().holds(from, from_bytes);
    case cudaMemcpyDefault:
        return (!to_device || memory().holds(to, to_bytes)) && (!from_device || memory().holds(from, from_bytes));
    }
    return false;
}

constexpr std::size_t most_pitch = 0x7fffffff; // cudaDevAttrMaxPitch of every device

// Where rows begin: `pitch` bytes apart, in slices `slice` bytes apart.
template <class Byte> struct Rows {
    Byte *first;
    std::size_t pitch, slice;

    Byte *at(std::size_t y, std::size_t z) const { return first + z * slice + y * pitch; }
    // From the beginning of the first row to the end of the last.
    std::size_t span(const cudaExtent &extent) const
    {
        return (extent.depth - 1) * slice + (extent.height - 1) * pitch + extent.width;
    }
};

void carry_out_copy(void *to, const void *from, std::size_t bytes, cudaStream_t stream)
{
    watch::copying(to, from, bytes, stream);
    std::memmove(to, from, bytes);
}

// Nothing is copied unless all is where `kind` says, the device's side in one allocation.
cudaError_t copy_rows(const Rows<char> &to, const Rows<const char> &from, const cudaExtent &extent, cudaMemcpyKind kind,
                      cudaStream_t stream)
{
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return finish(cudaSuccess);
    if (!sides_are_right(to.first, to.span(extent), from.first, from.span(extent), kind))
        return finish(cudaErrorInvalidValue);
    in_stream(stream, [=] {
        for (std::size_t z = 0; z < extent.depth; ++z)
            for (std::size_t y = 0; y < extent.height; ++y)
                carry_out_copy(to.at(y, z), from.at(y, z), extent.width, stream);
    });
    return finish(cudaSuccess);
}

// Whether what is to be copied stays within the rows of a slice, as CUDA asks.
bool fits(const cudaPitchedPtr &memory, const cudaPos &position, const cudaExtent &extent)
{
    return memory.pitch <= most_pitch && position.x <= memory.pitch && extent.width <= memory.pitch - position.x &&
           (extent.depth <= 1 || (position.y <= memory.ysize && extent.height <= memory.ysize - position.y));
}

char *at(const cudaPitchedPtr &memory, const cudaPos &position)
{
    return static_cast<char *>(memory.ptr) + (position.z * memory.ysize + position.y) * memory.pitch + position.x;
}

} // namespace

bool is_device_memory(const void *pointer)
{
    return memory().contains(pointer);
}

int owner_of(const void *pointer)
{
    return memory().owner(pointer);
}

void add_symbol(const void *symbol, std::size_t bytes)
{
    symbols().add(symbol, bytes);
}

bool holds_device_memory(const void *pointer, std::size_t bytes)
{
    return memory().holds(pointer, bytes);
}

void *allocate_in_heap(std::size_t bytes)
{
    return memory().of(this_processor().job->device).allocate(bytes);
}

void release_in_heap(void *allocated)
{
    memory().release(allocated);
}

} // namespace accrs::emulation

using namespace accrs::emulation;

cudaError_t cudaMalloc(void **device, std::size_t bytes)
{
    *device = nullptr;
    if (bytes == 0)
        return finish(cudaSuccess);
    *device = own_memory().allocate(bytes);
    if (*device == nullptr && streams_are_late()) {
        wait_for_all(); // memory may be given back in streams
        *device = own_memory().allocate(bytes);
    }
    return finish(*device == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

static cudaError_t released(void *device)
{
    share_no_more(device);
    return finish(device == nullptr || memory().release(device) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaFree(void *device)
{
    wait_for_all();
    return released(device);
}

cudaError_t cudaMallocAsync(void **device, std::size_t bytes, cudaStream_t)
{
    return cudaMalloc(device, bytes);
}

cudaError_t cudaFreeAsync(void *device, cudaStream_t stream)
{
    const std::size_t bytes = memory().size_of(device);
    if (bytes == 0)
        return released(device);
    in_stream(stream, [=] {
        accrs::watch::freeing(device, bytes, stream);
        (void)released(device);
    });
    return finish(cudaSuccess);
}

cudaError_t cudaMallocPitch(void **device, std::size_t *pitch, std::size_t width, std::size_t height)
{
    constexpr std::size_t unit = 512; // what rows begin at multiples of
    *pitch = (width + unit - 1) / unit * unit;
    return cudaMalloc(device, *pitch * height);
}

cudaError_t cudaMallocManaged(void **managed, std::size_t bytes, unsigned)
{
    const cudaError_t status = cudaMalloc(managed, bytes);
    if (status == cudaSuccess && bytes != 0) {
        share_with_all(*managed, bytes);
        accrs::watch::written(*managed, bytes); // by the host, unseen
    }
    return status;
}

cudaError_t cudaHostAlloc(void **host, std::size_t bytes, unsigned)
{
    return cudaMallocHost(host, bytes);
}

cudaError_t cudaMallocHost(void **host, std::size_t bytes)
{
    *host = std::malloc(bytes);
    return finish(*host == nullptr && bytes != 0 ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t cudaFreeHost(void *host)
{
    std::free(host);
    return finish(cudaSuccess);
}

cudaError_t cudaMemGetInfo(std::size_t *free_bytes, std::size_t *total)
{
    own_memory().information(free_bytes, total);
    return finish(cudaSuccess);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    *pool = nullptr;
    return finish(device >= 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
    return finish(cudaSuccess);
}

static cudaError_t copied(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    if (bytes == 0)
        return finish(cudaSuccess);
    if (!sides_are_right(to, bytes, from, bytes, kind))
        return finish(cudaErrorInvalidValue);
    in_stream(stream, [=] { carry_out_copy(to, from, bytes, stream); });
    return finish(cudaSuccess);
}

cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind)
{
    if (streams_are_traced()) {
        trace_in_stream(("copy " + std::to_string(bytes) + " bytes").c_str(), nullptr);
        (void)cudaStreamSynchronize(nullptr);
    }
    const cudaError_t status = copied(to, from, bytes, kind, nullptr);
    wait_for(nullptr);
    return status;
}

cudaError_t accrs::emulation::copy_taken(void *to, const void *from, std::size_t bytes, cudaStream_t stream)
{
    if (bytes == 0)
        return finish(cudaSuccess);
    if (!sides_are_right(to, bytes, from, bytes, cudaMemcpyHostToDevice))
        return finish(cudaErrorInvalidValue);
    const auto copy = [=](const void *value) {
        watch::copying_value(to, value, bytes, stream);
        std::memcpy(to, value, bytes);
    };
    if (streams_are_late()) {
        const auto *const begin = static_cast<const char *>(from);
        put_into(stream, [=, taken = std::vector<char>(begin, begin + bytes)] { copy(taken.data()); });
    } else {
        copy(from);
    }
    return finish(cudaSuccess);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    trace_in_stream(("copy " + std::to_string(bytes) + " bytes").c_str(), stream);
    return copied(to, from, bytes, kind, stream);
}

cudaError_t cudaMemcpy2DAsync(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                              std::size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    if (width > to_pitch || width > from_pitch || to_pitch > most_pitch || from_pitch > most_pitch)
        return finish(cudaErrorInvalidValue);
    return copy_rows({static_cast<char *>(to), to_pitch, 0}, {static_cast<const char *>(from), from_pitch, 0},
                     {width, height, 1}, kind, stream);
}

cudaError_t cudaMemcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind)
{
    const cudaError_t status = cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
    wait_for(nullptr);
    return status;
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
    const cudaPitchedPtr &to = parameters->dstPtr;
    const cudaPitchedPtr &from = parameters->srcPtr;
    if (parameters->dstArray != nullptr || parameters->srcArray != nullptr || !fits(to, parameters->dstPos, parameters->extent) ||
        !fits(from, parameters->srcPos, parameters->extent))
        return finish(cudaErrorInvalidValue);
    return copy_rows({at(to, parameters->dstPos), to.pitch, to.pitch * to.ysize},
                     {at(from, parameters->srcPos), from.pitch, from.pitch * from.ysize}, parameters->extent, parameters->kind, stream);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters)
{
    const cudaError_t status = cudaMemcpy3DAsync(parameters, nullptr);
    wait_for(nullptr);
    return status;
}

cudaError_t cudaMemset(void *device, int value, std::size_t bytes)
{
    return cudaMemsetAsync(device, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void *device, int value, std::size_t bytes, cudaStream_t stream)
{
    if (bytes != 0 && !memory().holds(device, bytes))
        return finish(cudaErrorInvalidValue);
    in_stream(stream, [=] {
        accrs::watch::clearing(device, bytes, stream);
        std::memset(device, value, bytes);
    });
    return finish(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    const bool device = memory().contains(pointer);
    void *plain = const_cast<void *>(pointer);
    int owner = memory().owner(pointer);
    if (device && owner < 0) // a variable
        (void)cudaGetDevice(&owner);
    *attributes = {device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered, device ? owner : -2, device ? plain : nullptr,
                   device ? nullptr : plain};
    return finish(cudaSuccess);
}
