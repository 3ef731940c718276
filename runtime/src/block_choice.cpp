// SPDX-License-Identifier: 0BSD
#include "block_choice.hpp"

namespace accrs {

namespace {

constexpr unsigned warp = 32;

} // namespace

unsigned threads_of(dim3 block)
{
    return block.x * block.y * block.z;
}

dim3 half(dim3 block)
{
    unsigned &last = block.z > 1 ? block.z : block.y > 1 ? block.y : block.x;
    last /= 2;
    return block;
}

dim3 shaped(dim3 block, long long nx, long long ny)
{
    while (block.x % 2 == 0 && nx >= 1 && nx <= block.x / 2 && ny > block.y) {
        block.x /= 2;
        block.y *= 2;
    }
    return block;
}

std::vector<dim3> smaller_blocks(dim3 largest)
{
    std::vector<dim3> blocks{largest};
    while (threads_of(blocks.back()) >= 2 * warp)
        blocks.push_back(half(blocks.back()));
    return blocks;
}

dim3 choose_block(const Blocks &blocks, long long nx, long long ny, long long nz)
{
    const auto along = [](long long extent, unsigned threads) { return extent < 1 ? 1 : (extent + threads - 1) / threads; };
    const auto count = [&](dim3 block) {
        // As a floating-point number: the product may be longer than any integer.
        return static_cast<double>(along(nx, block.x)) * static_cast<double>(along(ny, block.y)) *
               static_cast<double>(along(nz, block.z));
    };
    const auto processors = static_cast<double>(blocks.processors);
    const BlockSize *best = nullptr;
    for (const BlockSize &size : blocks.sizes) {
        const auto occupied = [](const BlockSize &one) { return one.at_once * static_cast<long long>(threads_of(one.block)); };
        if (best == nullptr || occupied(size) > occupied(*best))
            best = &size;
    }
    if (best == nullptr || best->at_once < 1)
        return blocks.sizes.empty() ? dim3(1) : blocks.sizes.back().block;
    if (count(best->block) >= processors * best->at_once)
        return best->block;
    // All blocks are there at once. The busiest multiprocessor is the last one to end.
    const auto of_busiest = [&](const BlockSize &size) {
        const double share = count(size.block) / processors;
        const auto whole = static_cast<long long>(share);
        return static_cast<double>(whole) < share ? whole + 1 : whole;
    };
    for (const BlockSize &size : blocks.sizes) {
        const bool fits = of_busiest(size) <= size.at_once;
        if (fits && of_busiest(size) * threads_of(size.block) < of_busiest(*best) * threads_of(best->block))
            best = &size;
    }
    return best->block;
}

} // namespace accrs
