// SPDX-License-Identifier: 0BSD
#include "schedule.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace accrs::emulation {

namespace {

enum class Kind { forward, reverse, random };

struct Schedule {
    Kind kind = Kind::forward;
    std::uint64_t seed = 0;
};

Schedule read_schedule()
{
    const char *text = std::getenv("ACCRS_SCHEDULE");
    if (text == nullptr || *text == '\0' || std::strcmp(text, "forward") == 0)
        return {};
    if (std::strcmp(text, "reverse") == 0)
        return {Kind::reverse, 0};
    char *end = nullptr;
    const std::uint64_t seed = std::strtoull(text, &end, 10);
    if (*end != '\0') {
        std::fprintf(stderr, "accrs: ACCRS_SCHEDULE is '%s': expected forward, reverse or a number\n", text);
        std::exit(1);
    }
    return {Kind::random, seed};
}

const Schedule &schedule()
{
    static const Schedule chosen = read_schedule();
    return chosen;
}

// splitmix64; the same seed gives the same orders on every machine.
std::uint64_t scramble(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

std::uint64_t random_number()
{
    static std::atomic<std::uint64_t> drawn{0};
    return scramble(schedule().seed * 0x10001u + drawn.fetch_add(1));
}

} // namespace

BlockOrder block_order(std::uint64_t blocks)
{
    switch (schedule().kind) {
    case Kind::forward:
        return {};
    case Kind::reverse:
        return {blocks - 1, blocks - 1};
    case Kind::random:
        break;
    }
    BlockOrder order{random_number() % blocks, random_number() % blocks};
    while (std::gcd(order.stride, blocks) != 1)
        order.stride = (order.stride + 1) % blocks;
    return order;
}

std::vector<unsigned> thread_order(unsigned threads)
{
    std::vector<unsigned> order;
    if (schedule().kind == Kind::forward)
        return order;
    order.resize(threads);
    for (unsigned i = 0; i < threads; ++i)
        order[i] = threads - 1 - i;
    if (schedule().kind == Kind::random)
        for (unsigned i = threads; i > 1; --i)
            std::swap(order[i - 1], order[random_number() % i]);
    return order;
}

} // namespace accrs::emulation
