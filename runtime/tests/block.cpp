// SPDX-License-Identifier: 0BSD
//
// Which block is chosen, on devices of several sizes, by registers and by numbers of iterations.
#include "../src/block_choice.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

using accrs::Blocks;

// Blocks on a device whose multiprocessors have `warps` warps, of which registers allow `allowed`.
Blocks device(dim3 largest, long long processors, int warps, int allowed)
{
    Blocks blocks;
    blocks.processors = processors;
    for (const dim3 block : accrs::smaller_blocks(largest)) {
        const int own = static_cast<int>(block.x * block.y * block.z + 31) / 32;
        blocks.sizes.push_back({block, (allowed < warps ? allowed : warps) / own});
    }
    return blocks;
}

void expect(dim3 found, unsigned x, unsigned y, unsigned z, const char *what)
{
    if (found.x == x && found.y == y && found.z == z)
        return;
    std::fprintf(stderr, "block: %s: %u x %u x %u where %u x %u x %u was expected\n", what, found.x, found.y, found.z, x, y, z);
    std::exit(1);
}

long long blocks_for(long long n, dim3 block)
{
    return (n + block.x - 1) / block.x;
}

// Threads of the multiprocessor that gets the most blocks.
long long busiest(const Blocks &blocks, long long n, dim3 block)
{
    return (blocks_for(n, block) + blocks.processors - 1) / blocks.processors * block.x;
}

void expect_busy(const Blocks &blocks, long long n)
{
    const dim3 chosen = choose_block(blocks, n, 1, 1);
    const auto at_once = [&](dim3 block) {
        for (const auto &size : blocks.sizes)
            if (size.block.x == block.x)
                return blocks.processors * size.at_once;
        return 0ll;
    };
    const dim3 smallest = blocks.sizes.back().block;
    if (blocks_for(n, chosen) >= at_once(chosen))
        return; // the device is full: occupancy decides
    bool is_best = true;
    for (const auto &size : blocks.sizes)
        is_best = is_best && (blocks_for(n, size.block) > at_once(size.block) ||
                              busiest(blocks, n, size.block) >= busiest(blocks, n, chosen));
    const long long possible = blocks_for(n, smallest) < blocks.processors ? blocks_for(n, smallest) : blocks.processors;
    const bool are_busy = blocks_for(n, chosen) >= possible || busiest(blocks, n, smallest) >= busiest(blocks, n, chosen);
    if (is_best && are_busy)
        return;
    std::fprintf(stderr, "block: %lld iterations on %lld multiprocessors: %u threads\n", n, blocks.processors, chosen.x);
    std::exit(1);
}

} // namespace

int main()
{
    const dim3 line(256);
    const dim3 area(32, 8);
    const dim3 space(32, 4, 2);
    const long long many = 1ll << 40;
    expect(choose_block(device(line, 132, 64, 64), many, 1, 1), 256, 1, 1, "the largest of equal ones");
    expect(choose_block(device(line, 132, 64, 36), many, 1, 1), 128, 1, 1, "36 warps are nine blocks of four");
    expect(choose_block(device(area, 132, 64, 36), many, many, 1), 32, 4, 1, "the last dimension is halved");
    expect(choose_block(device(space, 132, 64, 36), many, many, many), 32, 4, 1, "depth first");
    expect(choose_block(device(line, 132, 64, 64), 132 * 2048, 1, 1), 256, 1, 1, "just enough for all");
    // 10,000 iterations are 40 blocks of 256; of 32, three on the busiest of 132 multiprocessors.
    expect(accrs::shaped(area, many, many), 32, 8, 1, "enough iterations along x");
    expect(accrs::shaped(area, 16, many), 16, 16, 1, "half of a warp along x");
    expect(accrs::shaped(area, 3, many), 4, 64, 1, "three iterations along x");
    expect(accrs::shaped(area, 3, 20), 8, 32, 1, "no more along y than there are");
    expect(accrs::shaped(area, 0, many), 32, 8, 1, "no iteration");
    expect(accrs::shaped(line, 16, 1), 256, 1, 1, "nothing along y");
    expect(choose_block(device(line, 132, 64, 64), 10000, 1, 1), 32, 1, 1, "few iterations");
    expect(choose_block(device(line, 132, 64, 64), 132 * 256, 1, 1), 256, 1, 1, "a block for each multiprocessor");
    expect(choose_block(device(line, 132, 64, 64), 132 * 256 + 1, 1, 1), 32, 1, 1, "one iteration more");
    expect(choose_block(device(area, 132, 64, 64), 64, 64, 1), 32, 1, 1, "64 x 64 iterations are 128 rows of blocks");
    expect(choose_block(device(area, 2, 64, 64), 64, 64, 1), 32, 8, 1, "which two multiprocessors share");
    expect(choose_block(device(line, 132, 64, 64), 0, 1, 1), 32, 1, 1, "no iteration");
    // 200,000 iterations: 12 blocks of 128 on the busiest, or 6 of 256; of 64, as many threads.
    expect(choose_block(device(line, 132, 64, 64), 200000, 1, 1), 256, 1, 1, "nothing is gained");
    // Whatever the number of iterations: no other size would leave the busiest multiprocessor with fewer
    // threads of those that there are at once, and none that could have a block is idle.
    for (const long long processors : {1ll, 2ll, 20ll, 132ll})
        for (const int allowed : {64, 36, 20})
            for (long long n = 1; n < 40000; n += n < 600 ? 1 : 97)
                expect_busy(device(line, processors, 64, allowed), n);
    const auto sizes = accrs::smaller_blocks(dim3(8, 4, 8));
    if (sizes.size() != 4)
        return 1;
    expect(sizes.back(), 8, 4, 1, "down to a warp");
    return 0;
}
