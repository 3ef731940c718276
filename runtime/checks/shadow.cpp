// SPDX-License-Identifier: 0BSD
//
// Cells: where they lie, and what the host does to those of device memory.
#include "shadow.hpp"

#include "../emulation/watch.hpp"
#include "../watch/objects.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sys/mman.h>

namespace accrs::checks {

Region arena;
std::size_t device_bytes;

namespace {

Cell *reserve(std::size_t cells)
{
    void *memory = mmap(nullptr, cells * sizeof(Cell), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<Cell *>(memory);
}

} // namespace

void set_cells(std::uintptr_t begin, std::size_t bytes, const Cell &state)
{
    std::uintptr_t address = begin;
    const std::uintptr_t end = begin + bytes;
    while (address < end) {
        const std::size_t offset = address - arena.begin;
        Cell &cell = arena.cells[offset / granule];
        const std::uintptr_t next = (address / granule + 1) * granule;
        if (address % granule == 0 && next <= end) {
            cell = state;
        } else {
            if (cell.write != split) {
                Cell *bytes_of = arena.byte_cells + offset / granule * granule;
                std::fill(bytes_of, bytes_of + granule, cell);
                cell.write = split;
            }
            for (std::uintptr_t byte = address; byte < std::min(next, end); ++byte)
                arena.byte_cells[byte - arena.begin] = state;
        }
        address = next;
    }
}

void split_cell(Cell &cell, Cell *bytes)
{
    static std::mutex splitting;
    const std::lock_guard<std::mutex> guard(splitting);
    if (__atomic_load_n(&cell.write, __ATOMIC_RELAXED) == split)
        return;
    std::fill(bytes, bytes + granule, cell);
    __atomic_store_n(&cell.write, split, __ATOMIC_RELEASE);
}

bool reserve_cells(Region &region)
{
    const std::size_t granules = region.bytes / granule + 1;
    region.cells = reserve(granules);
    if (region.cells == nullptr)
        return false;
    region.byte_cells = reserve(granules * granule);
    if (region.byte_cells != nullptr)
        return true;
    munmap(region.cells, granules * sizeof(Cell));
    region.cells = nullptr;
    return false;
}

} // namespace accrs::checks

namespace accrs::watch {

using namespace checks;

void memory_reserved(char *begin, std::size_t bytes, int devices)
{
    Region region{reinterpret_cast<std::uintptr_t>(begin), bytes, nullptr, nullptr};
    if (!reserve_cells(region)) {
        std::fprintf(stderr, "accrs: checks: cannot reserve addresses for what is known of device memory\n");
        std::exit(1);
    }
    arena = region;
    device_bytes = bytes / static_cast<std::size_t>(devices);
}

void written(const void *begin, std::size_t bytes)
{
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    if (arena.contains(address))
        set_cells(address, bytes, {given, 0, 0, 0});
}

void allocated(char *begin, std::size_t bytes)
{
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    remember_allocation(address, bytes);
    set_cells(address, bytes, {uninitialised, 0, 0, 0});
}

void released(char *begin, std::size_t)
{
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    set_cells(address, forget_allocation(address), {unallocated, 0, 0, 0});
}

// As much again, so that an index that is off by a row or two reaches nothing else.
std::size_t gap(std::size_t bytes)
{
    return std::clamp(bytes, std::size_t(4096), std::size_t(64) << 20);
}

} // namespace accrs::watch
