// SPDX-License-Identifier: 0BSD
//
// What the runtime itself costs, in nanoseconds. No kernel is launched: everything that a
// launcher does beside is measured.
//
//   host_path look-up ENTRIES ROUNDS         in a present table of so many entries
//   host_path launch ENTRIES ROUNDS          a region with 20 arrays of that table, and its launcher
//   host_path launch-others ENTRIES ROUNDS   the same, other arrays every time
#include "../include/accrs.h"
#include "../include/accrs/launch.hpp"
#include "../src/device.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <vector>

namespace {

constexpr std::size_t array_bytes = 64;
constexpr std::size_t arguments = 20;
constexpr int batches = 30;

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point start)
{
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

// Not in order: neighbours in the table are not looked up one after the other.
std::size_t scattered(std::size_t round, std::size_t entries)
{
    return round * 2654435761u % entries;
}

void fill(char *memory, std::size_t entries)
{
    accrs_at("benchmark", __LINE__, "enter data");
    // Every other array, so that each is an entry of its own.
    for (std::size_t i = 0; i < entries; ++i)
        accrs_enter_create("array", memory + 2 * i * array_bytes, 0, array_bytes);
}

double look_up(char *memory, std::size_t entries, std::size_t rounds)
{
    accrs::PresentTable &table = accrs::device().table;
    std::size_t found = 0;
    const auto start = Clock::now();
    for (std::size_t i = 0; i < rounds; ++i) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory + 2 * scattered(i, entries) * array_bytes);
        found += table.find(address + 8, 16).presence == accrs::Presence::present;
    }
    const double elapsed = nanoseconds_since(start);
    if (found != rounds) {
        std::fprintf(stderr, "%zu of %zu look-ups found their entry\n", found, rounds);
        std::exit(1);
    }
    return elapsed / static_cast<double>(rounds);
}

// As the generated code of a `parallel loop present(...)` over 20 arrays has it.
void region(char *const *arrays)
{
    accrs_begin("benchmark", __LINE__, "parallel loop");
    for (std::size_t i = 0; i < arguments; ++i)
        accrs_present("array", arrays[i], 0, array_bytes);
    char *volatile sink = nullptr;
    for (std::size_t i = 0; i < arguments; ++i)
        sink = accrs::device(arrays[i], "array");
    (void)sink;
    const dim3 block(256);
    const dim3 grid = accrs::grid(block, 1000);
    (void)accrs::stream();
    accrs::launched("kernel", grid, block, 0);
    accrs_end();
}

double regions(char *memory, std::size_t entries, std::size_t rounds, std::size_t step)
{
    std::vector<char *> arrays(arguments);
    double elapsed = 0;
    for (std::size_t round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < arguments; ++i)
            arrays[i] = memory + 2 * scattered(round * step + i, entries) * array_bytes;
        const auto start = Clock::now();
        region(arrays.data());
        elapsed += nanoseconds_since(start);
    }
    return elapsed / static_cast<double>(rounds);
}

double same_arrays(char *memory, std::size_t entries, std::size_t rounds)
{
    return regions(memory, entries, rounds, 0);
}

double other_arrays(char *memory, std::size_t entries, std::size_t rounds)
{
    return regions(memory, entries, rounds, arguments);
}

struct Measure {
    const char *name;
    double (*run)(char *, std::size_t, std::size_t);
};

constexpr Measure measures[] = {{"look-up", look_up}, {"launch", same_arrays}, {"launch-others", other_arrays}};

} // namespace

int main(int argc, char **argv)
{
    const auto *measure = argc == 4 ? std::find_if(std::begin(measures), std::end(measures),
                                                   [&](const Measure &m) { return std::strcmp(m.name, argv[1]) == 0; })
                                    : std::end(measures);
    if (measure == std::end(measures)) {
        std::fprintf(stderr, "usage: host_path look-up|launch|launch-others ENTRIES ROUNDS\n");
        return 2;
    }
    const std::size_t entries = std::strtoull(argv[2], nullptr, 10);
    const std::size_t rounds = std::strtoull(argv[3], nullptr, 10);
    const std::unique_ptr<char[]> memory(new char[2 * entries * array_bytes]);
    fill(memory.get(), entries);
    // The best of many: others use the machine as well.
    double best = measure->run(memory.get(), entries, rounds);
    for (int batch = 1; batch < batches; ++batch)
        best = std::min(best, measure->run(memory.get(), entries, rounds));
    std::printf("%.1f\n", best);
    return 0;
}
