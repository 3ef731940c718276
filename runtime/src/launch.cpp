// SPDX-License-Identifier: 0BSD
//
// What launchers call (include/accrs/launch.hpp).
#include "../include/accrs/launch.hpp"

#include "../include/accrs.h"
#include "allocations.hpp"
#include "device.hpp"
#include "mapped_range.hpp"
#include "profile.hpp"
#include "sections.hpp"
#if ACCRS_EMULATED
#include "../emulation/fault.hpp"
#endif
#if ACCRS_CHECKED
#include "../checks/coherence.hpp"
#endif

#include <algorithm>
#include <cstring>
#include <limits>

namespace accrs {

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

constexpr long long int_range = 1ll << 31;
// Loops in int variables start at most this far above 0 (see strided loops in the translator).
constexpr long long int_slack = 1ll << 16;
constexpr long long int_limit = int_range - int_slack;
constexpr long long unsigned_limit = 2 * int_range - int_slack;
// How far beyond its bound a loop over gangs may step: 16 times the 2^21 blocks that gangs() gives at most, and more.
constexpr long long most_gang_steps = 1ll << 26;
constexpr long long most_blocks_yz = 65535;
constexpr unsigned most_threads = 1024;
constexpr long long many_blocks = 1ll << 20;

// When tracing: when the launch began, recorded as its stream was asked for.
struct LaunchClock {
    cudaEvent_t start = nullptr;
    cudaEvent_t end = nullptr;
    double asked = 0; // when the host began to launch
    double done = 0;  // and had done so
};

LaunchClock &launch_clock()
{
    static thread_local LaunchClock clock;
    if (clock.start == nullptr) {
        check(cudaEventCreate(&clock.start), "making an event");
        check(cudaEventCreate(&clock.end), "making an event");
    }
    return clock;
}

constexpr const char *window_help = "make the block or the window smaller, or hold a part of it at a time in a loop";

std::size_t shared_per_block()
{
    int device = 0;
    int bytes = 0;
    check(cudaGetDevice(&device), "asking for the device");
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for a device's shared memory");
    return static_cast<std::size_t>(bytes);
}

int region_queue()
{
    const State &state = current();
    return state.regions.empty() ? sync_queue : state.regions.back().queue;
}

long long blocks_along(unsigned block, long long extent, long long most)
{
    if (extent < 1)
        return 1;
    long long blocks = (extent + block - 1) / block;
    if (extent < int_limit)
        blocks = std::min(blocks, std::max(1ll, (int_limit - extent) / block));
    return std::min(blocks, most);
}

[[noreturn]] void too_many_blocks(long long extent)
{
    fail("give the construct a number of blocks, which stride then, as num_gangs(65535)",
         "a loop of %lld iterations has more blocks than a grid", extent);
}

unsigned all_blocks(unsigned block, long long extent, long long most)
{
    const long long blocks = extent < 1 ? 1 : (extent - 1) / block + 1;
    if (blocks > most)
        too_many_blocks(extent);
    return static_cast<unsigned>(blocks);
}

void check_indices(long long limit, dim3 block, long long nx, long long ny, long long nz)
{
    if (nx > limit - block.x || ny > limit - block.y || nz > limit - block.z)
        fail("make the loop's variable a 64-bit integer",
             "a loop of %lld iterations is too long for its 32-bit variable", std::max({nx, ny, nz}));
}

// What the innermost region's own clauses say of a pointer.
const Clause *find_clause(std::uintptr_t address)
{
    const State &state = current();
    if (state.regions.empty())
        return nullptr;
    const Clause *absent = nullptr; // an empty section of what is not present: a null pointer
    for (const Clause &clause : state.regions.back().clauses) {
        if (clause.base != address)
            continue;
        if (clause.device_base != 0)
            return &clause;
        absent = &clause;
    }
    return absent;
}

ByteRange bytes_from(std::uintptr_t address, std::uintptr_t start, std::size_t length)
{
    return {static_cast<std::ptrdiff_t>(start - address), static_cast<std::ptrdiff_t>(start + length - address)};
}

// Whether one section behind pointers has all of another one.
bool contains(const RowSection &outer, const RowSection &inner)
{
    if (outer.levels.size() != inner.levels.size())
        return false;
    for (std::size_t level = 0; level != outer.levels.size(); ++level) {
        const RowLevel &wide = outer.levels[level];
        const RowLevel &narrow = inner.levels[level];
        if (wide.offset > narrow.offset ||
            wide.offset + static_cast<std::ptrdiff_t>(wide.length) < narrow.offset + static_cast<std::ptrdiff_t>(narrow.length))
            return false;
    }
    return true;
}

// Right behind the launch: waiting for the kernel is no part of it.
void end_clock()
{
    LaunchClock &clock = launch_clock();
    clock.done = microseconds();
    check(cudaEventRecord(clock.end, copying_stream()), "recording an event");
}

void trace_launch(const char *kernel, dim3 grid, dim3 block, std::size_t shared)
{
    const LaunchClock &clock = launch_clock();
    float milliseconds = 0;
    check(cudaEventSynchronize(clock.end), "waiting for a kernel");
    check(cudaEventElapsedTime(&milliseconds, clock.start, clock.end), "timing a kernel");
    trace("launch", kernel, "grid=%u,%u,%u block=%u,%u,%u shared=%zu us=%.1f host-us=%.1f", grid.x, grid.y, grid.z,
          block.x, block.y, block.z, shared, static_cast<double>(milliseconds) * 1000, clock.done - clock.asked);
}

} // namespace

bool find_device_address(const volatile void *host, std::size_t bytes, void **found, const char *name)
{
    const auto address = reinterpret_cast<std::uintptr_t>(host);
    const Clause *clause = find_clause(address);
    if (clause != nullptr && clause->device_base != 0) {
        *found = reinterpret_cast<void *>(clause->device_base);
        return true;
    }
    Device &target = device();
    const Lock lock(target.mutex);
    const Found entry = target.table.find(address, bytes);
    if (entry.presence != Presence::present)
        return false;
    target.check_rows(*entry.entry, name);
    *found = reinterpret_cast<void *>(entry.entry->device_of(address));
    return true;
}

namespace {

// Device memory that the program maps itself may be that of two arrays on the host.
bool share_device_memory(const Entry *a, const Entry *b)
{
    const bool mapped = a != nullptr && b != nullptr && (a->mapped || b->mapped);
    return mapped && a->device < b->device + b->device_bytes() && b->device < a->device + a->device_bytes();
}

} // namespace

bool disjoint(const volatile void *a, const volatile void *b)
{
    if (a == nullptr || b == nullptr)
        return true;
    const auto first = reinterpret_cast<std::uintptr_t>(a);
    const auto second = reinterpret_cast<std::uintptr_t>(b);
    // The sections that this region was promised to keep to; they may be parts of one entry.
    const Clause *one = find_clause(first);
    const Clause *other = find_clause(second);
    if (one != nullptr && other != nullptr && one->length != 0 && other->length != 0) {
        if (one->entry != other->entry && share_device_memory(one->entry, other->entry))
            return false;
        return one->start + one->length <= other->start || other->start + other->length <= one->start;
    }
    Device &target = device();
    if (target.shares_memory)
        return false; // what was noted of memory may be of what was there before
    const Lock lock(target.mutex);
    const Entry *first_entry = target.table.find_pointer(first);
    const Entry *second_entry = target.table.find_pointer(second);
    return first_entry != nullptr && second_entry != nullptr && first_entry != second_entry &&
           !share_device_memory(first_entry, second_entry);
}

namespace {

// Of what a clause of the region, the present table or CUDA knows.
bool find_known(const volatile void *host, const char *name, void *&found)
{
    const auto address = reinterpret_cast<std::uintptr_t>(host);
    if (const Clause *clause = find_clause(address)) {
        found = reinterpret_cast<void *>(clause->device_base);
        return true;
    }
    Device &target = device();
    const Lock lock(target.mutex);
    if (const Entry *entry = target.find_pointer(address, name)) {
        found = reinterpret_cast<void *>(entry->device_of(address));
        return true;
    }
    found = const_cast<void *>(host);
    return target.shares_memory || is_device_address(host);
}

[[noreturn]] void fail_unknown(const char *name)
{
    const State &state = current();
    const bool in_kernel = !state.regions.empty() && state.regions.back().is_kernel;
    fail(acc_error_not_present,
         in_kernel ? "put a `global alloc` before the kernel"
                   : "name it with its bounds in a data clause, as in copy(a[0:n]), here or around",
         "'%s' is not present on the device", name);
}

} // namespace

void *device_address(const volatile void *host, const char *name)
{
    void *found = nullptr;
    if (host != nullptr && !find_known(host, name, found))
        fail_unknown(name);
#if ACCRS_CHECKED
    checks::launcher_runs = true;
#endif
#if ACCRS_EMULATED
    if (host != nullptr && found == nullptr) {
        const Place &place = current().place;
        emulation::note_empty(place.file, place.line, place.directive, name);
    }
#endif
    return found;
}

std::uintptr_t known_address(const volatile void *host, const char *name)
{
    void *found = nullptr;
    if (!find_known(host, name, found))
        fail_unknown(name);
    return reinterpret_cast<std::uintptr_t>(found);
}

bool find_present_bytes(const volatile void *pointer, const char *name, ByteRange &found)
{
    const auto known = [&found](ByteRange bytes) {
        found = bytes;
        return true;
    };
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    Device &target = device();
    const Lock lock(target.mutex);
    const Clause *clause = find_clause(address);
    const bool has_section = clause != nullptr && clause->length != 0;
    const Found section = has_section ? target.table.find(clause->start, clause->length) : Found{Presence::absent, nullptr};
    const Entry *entry = has_section ? section.entry : target.table.find_pointer(address);
    if (has_section && target.shares_memory && section.presence != Presence::present)
        return known(bytes_from(address, clause->start, clause->length));
    if (entry != nullptr) {
        target.check_rows(*entry, name);
        return known(bytes_from(address, entry->start, entry->length));
    }
    if (const Entry *copy = target.table.find_device(address))
        return known(bytes_from(address, copy->device, copy->device_bytes()));
    if (target.origin != nullptr) {
        const Section extent = target.origin->extent_of({name, address, address, 0});
        if (extent.length != 0)
            return known(bytes_from(address, extent.start, extent.length));
    }
    const Allocation allocation = allocations().find(address);
    if (allocation.bytes != 0)
        return known(bytes_from(address, allocation.start, allocation.bytes));
    found = {0, 0};
    if (is_device_address(pointer))
        return false;
    if (pointer != nullptr && target.shares_memory && !target.is_host) {
        const MappedRange readable = mapped_range(address);
        return known(bytes_from(address, readable.start, readable.end - readable.start));
    }
    return true;
}

ByteRange present_bytes(const volatile void *pointer, const char *name)
{
    ByteRange found{0, 0};
    if (!find_present_bytes(pointer, name, found))
        fail("get it from acc_malloc, or map it to host data with acc_map_data",
             "where the device memory of '%s' ends is not known", name);
    return found;
}

ByteRange row_bytes(const volatile void *pointers, std::size_t level, const char *name)
{
    const auto address = reinterpret_cast<std::uintptr_t>(pointers);
    const RowSection *widest = nullptr;
    const State &state = current();
    for (auto region = state.regions.rbegin(); region != state.regions.rend(); ++region)
        for (const RowSection &rows : region->rows)
            if (rows.base == address && rows.levels.size() > level && (widest == nullptr || contains(rows, *widest)))
                widest = &rows;
    if (widest == nullptr)
        fail("name it with a section of each dimension in a data clause, as in copyin(a[0:rows][0:columns])",
             "how many rows '%s' has, and how long they are, is not known", name);
    const RowLevel &found = widest->levels[level];
    return {found.offset, found.offset + static_cast<std::ptrdiff_t>(found.length)};
}

dim3 grid(dim3 block, long long nx, long long ny, long long nz)
{
    return grid(block, Gangs{std::numeric_limits<long long>::max()}, nx, ny, nz);
}

dim3 grid(dim3 block, Gangs at_most, long long nx, long long ny, long long nz)
{
    check_indices(int_limit, block, nx, ny, nz);
    return wide_grid(block, at_most, nx, ny, nz);
}

dim3 wide_grid(dim3 block, long long nx, long long ny, long long nz)
{
    return wide_grid(block, Gangs{std::numeric_limits<long long>::max()}, nx, ny, nz);
}

dim3 wide_grid(dim3 block, Gangs at_most, long long nx, long long ny, long long nz)
{
    long long left = std::max(1ll, at_most.count);
    const long long x = std::min(left, blocks_along(block.x, nx, int_range - 1));
    left /= x;
    const long long y = std::min(left, blocks_along(block.y, ny, most_blocks_yz));
    left /= y;
    const long long z = std::min(left, blocks_along(block.z, nz, most_blocks_yz));
    return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
}

dim3 covering_grid(dim3 block, long long nx, long long ny)
{
    check_indices(int_limit, block, nx, ny, 1);
    return wide_covering_grid(block, nx, ny);
}

dim3 covering_grid(dim3 block, long long nx, long long ny, long long nz)
{
    check_indices(int_limit, block, nx, ny, nz);
    return wide_covering_grid(block, nx, ny, nz);
}

dim3 unsigned_covering_grid(dim3 block, long long nx, long long ny)
{
    check_indices(unsigned_limit, block, nx, ny, 1);
    return wide_covering_grid(block, nx, ny);
}

dim3 unsigned_covering_grid(dim3 block, long long nx, long long ny, long long nz)
{
    check_indices(unsigned_limit, block, nx, ny, nz);
    return wide_covering_grid(block, nx, ny, nz);
}

dim3 wide_covering_grid(dim3 block, long long nx, long long ny)
{
    dim3 grid(all_blocks(block.x, nx, int_range - 1));
    const unsigned y = all_blocks(block.y, ny, int_range - 1);
    grid.z = (y + most_blocks_yz - 1) / most_blocks_yz;
    grid.y = (y + grid.z - 1) / grid.z;
    // The last blocks along z may begin beyond the last iteration, and their indices are ints.
    if (grid.z > 1 && ny > int_limit - static_cast<long long>(grid.z) * block.y)
        too_many_blocks(ny);
    return grid;
}

dim3 wide_covering_grid(dim3 block, long long nx, long long ny, long long nz)
{
    dim3 grid = wide_grid(block, nx, ny, nz);
    grid.x = all_blocks(block.x, nx, int_range - 1);
    return grid;
}

dim3 covering_gangs(long long nx, long long ny)
{
    return wide_covering_grid(dim3(1), nx, ny);
}

dim3 covering_gangs(long long nx, long long ny, long long nz)
{
    return wide_covering_grid(dim3(1), nx, ny, nz);
}

dim3 gangs(long long count)
{
    // Threads of several blocks may share a loop whose variable is an int, and more blocks bring nothing.
    const long long most = count < int_limit ? (int_limit - count) / most_threads : many_blocks;
    return dim3(static_cast<unsigned>(std::clamp(count, 1ll, std::max(1ll, most))));
}

dim3 gang_grid(long long nx, long long ny, long long nz)
{
    check_indices(int_limit, dim3(1), nx, ny, nz);
    return wide_gang_grid(nx, ny, nz);
}

dim3 wide_gang_grid(long long nx, long long ny, long long nz)
{
    const auto across = [](long long count) {
        return static_cast<unsigned>(std::clamp(count, 1ll, most_blocks_yz));
    };
    dim3 grid = gangs(nx);
    grid.y = across(ny);
    grid.z = across(nz);
    return grid;
}

dim3 worker_grid(dim3 block, long long count)
{
    check_indices(int_limit, dim3(1), count, 1, 1);
    return wide_worker_grid(block, count);
}

dim3 wide_worker_grid(dim3 block, long long count)
{
    const long long rows = block.y;
    const long long blocks = std::max(1ll, count / rows + (count % rows > 0));
    dim3 grid = gangs(count);
    grid.x = static_cast<unsigned>(std::min<long long>(grid.x, blocks));
    return grid;
}

long long int_trips_up(long long lower, long long bound, long long step)
{
    const long long iterations = std::max(0ll, bound - lower);
    // A grid, be it one that strides or one whose last blocks along z begin beyond the bound.
    const long long beyond = step * most_blocks_yz * most_threads;
    if (iterations > 0 && std::max(iterations, bound) > int_limit - beyond)
        fail("make the loop's variable a 64-bit integer",
             "a loop of %lld iterations is too long for its 32-bit variable", iterations);
    return (iterations + step - 1) / step;
}

void int_bound(long long bound)
{
    int_bound(bound, dim3(1), dim3(static_cast<unsigned>(int_slack)));
}

void int_bound(long long bound, dim3 grid, dim3 block)
{
    const auto along = [](unsigned blocks, unsigned threads) { return static_cast<long long>(blocks) * threads; };
    const long long step = std::max({along(grid.x, block.x), along(grid.y, block.y), along(grid.z, block.z)});
    if (std::max(bound, int_slack) >= int_range - step)
        fail("make the loop's variable a 64-bit integer", "a loop up to %lld is too long for its 32-bit variable",
             bound);
}

long long int_trips_through(long long lower, long long bound, long long step)
{
    return int_trips_up(lower, bound + 1, step);
}

long long int_trips_down(long long lower, long long bound, long long step)
{
    return int_trips_up(-lower, -bound, step);
}

long long int_trips_down_through(long long lower, long long bound, long long step)
{
    return int_trips_through(-lower, -bound, step);
}

bool int_trips(long long trips)
{
    return trips <= int_limit - most_gang_steps;
}

bool int_values(long long first, long long trips)
{
    return int_trips(trips) && int_trips(first + trips);
}

bool int_elements(Range present, std::initializer_list<long> rows)
{
    long long row = 1;
    for (const long length : rows) {
        if (length < 1 || length > int_limit / row)
            return false;
        row *= length;
    }
    const long long first = std::min<long long>(present.begin, 0);
    const long long last = std::max<long long>(present.end, 0);
    return last - first <= int_limit - row;
}

dim3 worker_block(long long vector_length, long long workers)
{
    unsigned lanes = 1;
    const auto wanted = static_cast<unsigned>(std::clamp(vector_length, 1ll, 1024ll));
    while (lanes < wanted && lanes < 32)
        lanes *= 2;
    if (wanted > 32)
        lanes = (wanted + 31) / 32 * 32;
    // Shared variables of workers have 32 places, there are 15 barriers for workers of several warps.
    const long long most = std::min(lanes > 32 ? 15ll : 32ll, 1024ll / lanes);
    return dim3(lanes, static_cast<unsigned>(std::clamp(workers, 1ll, most)));
}

static cudaFuncAttributes attributes_of(const void *kernel)
{
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), "reading a kernel's limits");
    return attributes;
}

dim3 window_block(const void *kernel, long long x, long long y, long long z)
{
    const cudaFuncAttributes attributes = attributes_of(kernel);
    if (x < 1 || y < 1 || z < 1)
        fail("a block has at least one thread in each dimension",
             "the block that shares windows here would be %lld x %lld x %lld", x, y, z);
    const long long most = attributes.maxThreadsPerBlock;
    // Dimensions that are too long by themselves would overflow the product.
    if (x > most || y > most || z > 64 || x * y * z > most)
        fail("make `vector(n)` or `vector_length(n)` smaller; the last dimension has at most 64 threads",
             "the block that shares windows here would be %lld x %lld x %lld, a block of this kernel has at most %lld threads",
             x, y, z, most);
    return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
}

void window_reach(long long elements, const char *side, const char *window)
{
    if (elements < 0)
        fail("`before` and `after` count elements and are not negative; move the pivot instead",
             "the window '%s' reaches %lld elements %s its pivot", window, elements, side);
    const std::size_t most = shared_per_block();
    if (static_cast<std::size_t>(elements) > most)
        fail(window_help, "the window '%s' reaches %lld elements %s its pivot, a block of this device has %zu bytes of shared memory",
             window, elements, side, most);
}

bool has_room(const void *kernel, std::size_t bytes, std::initializer_list<long long> reaches)
{
    const std::size_t most = shared_per_block() - attributes_of(kernel).sharedSizeBytes;
    const auto is_possible = [most](long long reach) { return reach >= 0 && static_cast<std::size_t>(reach) <= most; };
    return bytes <= most && std::all_of(reaches.begin(), reaches.end(), is_possible);
}

void allow_shared(const void *kernel, std::size_t bytes)
{
    const cudaFuncAttributes attributes = attributes_of(kernel);
    const std::size_t most = shared_per_block();
    const std::size_t wanted = bytes + attributes.sharedSizeBytes;
    if (wanted > most)
        fail(window_help, "the windows of this kernel need %zu bytes of shared memory, a block of this device has %zu", wanted,
             most);
    if (bytes > static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes))
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
              "asking for dynamic shared memory");
}

cudaStream_t copying_stream()
{
#if ACCRS_CHECKED
    checks::launcher_runs = false; // what the kernel is called with, and copies for it, have a meaning
#endif
    const int queue = region_queue();
    return queue == nowait_queue ? device().nowait_stream() : device().stream(queue);
}

cudaStream_t stream()
{
    cudaStream_t chosen = copying_stream();
    ToolInfo left;
    EventData data;
    data.stream = chosen;
    event(acc_ev_enqueue_launch_start, data, &left); // no kernel is known yet
    current().launch_info = std::move(left);
    if (tracing()) {
        LaunchClock &clock = launch_clock();
        check(cudaEventRecord(clock.start, chosen), "recording an event");
        clock.asked = microseconds();
    }
    return chosen;
}

void launched(const char *kernel, dim3 grid, dim3 block, std::size_t dynamic_shared)
{
    const cudaError_t status = cudaGetLastError();
    if (tracing() && status == cudaSuccess)
        end_clock();
    if (status != cudaSuccess)
        fail(acc_error_execution, nullptr, "the launch of %s failed: %s (%s); grid %u,%u,%u, block %u,%u,%u, %zu bytes of dynamic shared memory",
             kernel, cudaGetErrorString(status), cudaGetErrorName(status), grid.x, grid.y, grid.z, block.x, block.y, block.z,
             dynamic_shared);
    ToolInfo left = std::move(current().launch_info); // the callbacks may launch others
    EventData data;
    data.name = kernel;
    data.stream = copying_stream();
    data.grid = grid;
    data.block = block;
    event(acc_ev_enqueue_launch_end, data, &left);
    device().launches.fetch_add(1, std::memory_order_relaxed);
    const int queue = region_queue();
    if (queue == sync_queue)
        check_named(cudaStreamSynchronize(nullptr), "kernel", kernel);
    if (tracing())
        trace_launch(kernel, grid, block, dynamic_shared);
}

cudaMemcpyKind kind_of_copy(const void *array)
{
    if (!device().shares_memory || is_device_address(array))
        return cudaMemcpyDeviceToDevice;
    check(cudaStreamSynchronize(copying_stream()), "waiting for what writes an array");
    return cudaMemcpyHostToDevice;
}

void *allocate_scratch(std::size_t bytes)
{
    void *memory = nullptr;
    check(cudaMallocAsync(&memory, bytes == 0 ? 1 : bytes, copying_stream()), "allocating scratch memory");
    return memory;
}

void free_scratch(void *memory) noexcept
{
    (void)cudaFreeAsync(memory, copying_stream()); // an earlier error is reported where it arose
}

void copy_scratch(void *to, const void *from, std::size_t bytes)
{
    check(cudaMemcpyAsync(to, from, bytes, kind_of_copy(from), copying_stream()), "filling private arrays");
}

void copy_incoming(void *device_copy, const void *host, std::size_t bytes)
{
    check(copy_value(device_copy, host, bytes, copying_stream()), "copying a variable's value");
}

void copy_result(void *host, const void *result, std::size_t bytes)
{
    const int queue = region_queue();
    cudaStream_t chosen = copying_stream();
    check(cudaMemcpyAsync(host, result, bytes, cudaMemcpyDeviceToHost, chosen), "copying a reduction's result");
    if (queue == sync_queue)
        check(cudaStreamSynchronize(chosen), "copying a reduction's result");
}

} // namespace accrs

extern "C" void accrs_read(const char *name, const volatile void *scalar, void *to, accrs_size length)
{
    using namespace accrs;
    void *found = nullptr;
    const bool is_shared = device().shares_memory;
    if (!find_device_address(scalar, length, &found, name) && !is_shared)
        fail(acc_error_not_present, nullptr, "'%s' is not present on the device", name);
    if (is_shared && (found == nullptr || found == scalar)) {
        check_named(cudaStreamSynchronize(copying_stream()), "reading from the device:", name);
        std::memcpy(to, const_cast<const void *>(scalar), length);
        return;
    }
    const double begun = tracing() ? microseconds() : 0;
    copy_result(to, found, length);
    check_named(cudaStreamSynchronize(copying_stream()), "reading from the device:", name);
    if (tracing())
        trace("to-host", name, "bytes=%zu us=%.1f", length, microseconds() - begun);
}
