// SPDX-License-Identifier: 0BSD
//
// Cooperative launches: all blocks are there at once, and can wait for each other.
#ifndef ACCRS_EMULATION_COOPERATIVE_HPP
#define ACCRS_EMULATION_COOPERATIVE_HPP

#include "processor.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace accrs::emulation {

// Where the blocks of a launch meet.
class GridBarrier {
public:
    explicit GridBarrier(std::uint64_t blocks) : blocks_(blocks) {}

    // Waits for all blocks; false if one has ended. `time` is that of the checks from then on.
    bool meet(std::uint64_t &time);
    // A block has ended.
    void end();

private:
    const std::uint64_t blocks_;
    std::mutex mutex_;
    std::condition_variable met_;
    std::uint64_t waiting_ = 0, ended_ = 0, round_ = 0, time_ = 0;
};

// Runs each block on an OS thread of its own.
void run_at_once(Job &job);

} // namespace accrs::emulation

#endif
