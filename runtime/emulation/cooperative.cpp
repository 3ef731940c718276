// SPDX-License-Identifier: 0BSD
#include "cooperative.hpp"

#include <thread>
#include <vector>

namespace accrs::emulation {

bool GridBarrier::meet(std::uint64_t &time)
{
    std::unique_lock<std::mutex> lock(mutex_);
    const std::uint64_t round = round_;
    if (++waiting_ == blocks_) {
        waiting_ = 0;
        time_ = watch::grid_begins_anew();
        ++round_;
        met_.notify_all();
    } else {
        met_.wait(lock, [&] { return round_ != round || ended_ != 0; });
    }
    time = time_;
    return round_ != round;
}

void GridBarrier::end()
{
    const std::lock_guard<std::mutex> lock(mutex_);
    ++ended_;
    met_.notify_all();
}

void run_at_once(Job &job)
{
    GridBarrier barrier(job.blocks);
    job.grid = &barrier;
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(job.blocks));
    for (std::uint64_t i = 0; i < job.blocks; ++i)
        threads.emplace_back([&] {
            this_processor().run_blocks(job, 1);
            barrier.end();
        });
    for (std::thread &thread : threads)
        thread.join();
    job.grid = nullptr;
}

void grid_barrier(int line)
{
    Processor &processor = this_processor();
    if (processor.job->grid == nullptr) {
        processor.fail("the blocks of a launch meet that is not cooperative: cudaLaunchCooperativeKernel begins one",
                       __builtin_return_address(0), line);
        processor.abandon();
    }
    block_barrier(0, line);
    if (linear_thread() == 0) {
        std::uint64_t time = 0;
        watch::grid_waits();
        if (!processor.job->grid->meet(time)) {
            processor.fail("a barrier of the grid is not reached by all blocks", __builtin_return_address(0), line);
            processor.abandon();
        }
        watch::grid_meets(time);
        watch::thread_runs(0, processor.current->stack, processor.current->stack_bytes);
    }
    block_barrier(0, line);
}

} // namespace accrs::emulation
