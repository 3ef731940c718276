// SPDX-License-Identifier: 0BSD
//
// The order in which blocks and threads begin. CUDA promises none; ACCRS_SCHEDULE=forward,
// reverse or a number (a seed) brings out programs that rely on one.
#ifndef ACCRS_EMULATION_SCHEDULE_HPP
#define ACCRS_EMULATION_SCHEDULE_HPP

#include <cstdint>
#include <vector>

namespace accrs::emulation {

// The product below passes 64 bits for large grids.
__extension__ typedef unsigned __int128 Wide;

// Block number i of the order is (start + i * stride) mod blocks, with a stride that has no
// divisor in common with the number of blocks.
struct BlockOrder {
    std::uint64_t start = 0;
    std::uint64_t stride = 1;

    std::uint64_t block(std::uint64_t i, std::uint64_t blocks) const
    {
        return static_cast<std::uint64_t>((start + static_cast<Wide>(i) * stride) % blocks);
    }
};

BlockOrder block_order(std::uint64_t blocks);
// Empty for the forward order.
std::vector<unsigned> thread_order(unsigned threads);

} // namespace accrs::emulation

#endif
