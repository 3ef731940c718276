// SPDX-License-Identifier: 0BSD
//
// The index of the present table against std::map, entries coming and going in several orders.
#include "../src/address_index.hpp"
#include "../src/present_table.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

namespace {

using accrs::AddressIndex;
using accrs::Entry;
using Model = std::map<std::uintptr_t, Entry *>;

void expect(bool holds, const char *what, std::uintptr_t address)
{
    if (holds)
        return;
    std::fprintf(stderr, "index: %s, address %ju\n", what, static_cast<std::uintmax_t>(address));
    std::exit(1);
}

void compare(const AddressIndex &index, const Model &model, std::uintptr_t address)
{
    const auto above = model.upper_bound(address);
    expect(index.above(address) == (above == model.end() ? nullptr : above->second), "above", address);
    expect(index.at_or_below(address) == (above == model.begin() ? nullptr : std::prev(above)->second), "at_or_below",
           address);
}

void compare_all(const AddressIndex &index, const Model &model)
{
    auto next = model.begin();
    index.for_each([&](Entry &entry) {
        expect(next != model.end() && next->second == &entry, "for_each", entry.start);
        ++next;
    });
    expect(next == model.end(), "for_each ends early", 0);
}

// `order` gives the address of each step: absent ones are inserted, others erased.
template <class Order> void run(std::size_t steps, const Order &order)
{
    AddressIndex index;
    Model model;
    std::vector<Entry> memory(steps);
    for (std::size_t i = 0; i < steps; ++i) {
        const std::uintptr_t address = order(i);
        memory[i].start = address;
        const auto known = model.find(address);
        if (known == model.end()) {
            expect(index.insert(address, &memory[i]), "insert", address);
            model.emplace(address, &memory[i]);
        } else {
            expect(!index.insert(address, &memory[i]), "insert twice", address);
            index.erase(address, &memory[i]); // another entry: nothing happens
            compare(index, model, address);
            index.erase(address, known->second);
            model.erase(known);
        }
        for (const std::uintptr_t near : {address, address - 1, address + 1, order(i / 2)})
            compare(index, model, near);
    }
    compare_all(index, model);
}

} // namespace

int main()
{
    constexpr std::size_t steps = 5003;
    run(steps, [](std::size_t i) { return 100 + 8 * i; });
    run(steps, [](std::size_t i) { return 100 + 8 * (steps - i); });
    run(2 * steps, [](std::size_t i) { return 100 + 8 * (i % steps); });
    run(2 * steps, [](std::size_t i) { return 100 + 8 * (i * 2654435761u % steps); });
    for (unsigned seed = 1; seed <= 3; ++seed) {
        std::mt19937 random(seed);
        std::vector<std::uintptr_t> addresses(4 * steps);
        for (std::uintptr_t &address : addresses)
            address = 100 + 8 * (random() % steps);
        run(addresses.size(), [&](std::size_t i) { return addresses[i]; });
    }
    return 0;
}
