// SPDX-License-Identifier: 0BSD
//
// One request of a warp: how a GPU serves it.
#include "counts.hpp"

#include <algorithm>
#include <vector>

namespace accrs::counts {

namespace {

// Calls `found` once for each distinct piece of memory, `size` bytes each, that some accesses touch.
template <std::uint64_t size, class Found>
void each_piece(const Event *const *events, unsigned count, const Found &found)
{
    static thread_local std::vector<std::uintptr_t> pieces;
    pieces.clear();
    std::uintptr_t highest = 0;
    for (unsigned i = 0; i < count; ++i) {
        const std::uintptr_t first = events[i]->address / size;
        const std::uintptr_t last = (events[i]->address + events[i]->bytes - 1) / size;
        for (std::uintptr_t piece = first; piece <= last; ++piece) {
            // Lanes mostly go upwards through memory.
            if (piece <= highest && std::find(pieces.rbegin(), pieces.rend(), piece) != pieces.rend())
                continue;
            highest = std::max(highest, piece);
            pieces.push_back(piece);
            found(piece);
        }
    }
}

template <std::uint64_t size> unsigned distinct_pieces(const Event *const *events, unsigned count)
{
    unsigned pieces = 0;
    each_piece<size>(events, count, [&](std::uintptr_t) { ++pieces; });
    return pieces;
}

// How many rounds the most loaded bank needs: a word that several lanes want is given once.
unsigned bank_rounds(const Event *const *events, unsigned count)
{
    unsigned load[banks] = {};
    each_piece<bank_bytes>(events, count, [&](std::uintptr_t word) { ++load[word % banks]; });
    return *std::max_element(load, load + banks);
}

} // namespace

void Tally::add(const Tally &other)
{
    requests += other.requests;
    accesses += other.accesses;
    transactions += other.transactions;
    sectors += other.sectors;
}

Tally serve(const Event *const *events, unsigned count)
{
    Tally tally;
    tally.requests = 1;
    tally.accesses = count;
    if (events[0]->space == Space::shared) {
        tally.transactions = bank_rounds(events, count);
    } else {
        tally.transactions = distinct_pieces<line_bytes>(events, count);
        tally.sectors = distinct_pieces<sector_bytes>(events, count);
    }
    return tally;
}

} // namespace accrs::counts
