// SPDX-License-Identifier: 0BSD
//
// A processor runs blocks of one launch, one block at a time, on the OS thread that owns it.
#ifndef ACCRS_EMULATION_PROCESSOR_HPP
#define ACCRS_EMULATION_PROCESSOR_HPP

#include "fiber.hpp"
#include "schedule.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace accrs::emulation {

class GridBarrier;

// One launch, shared by the processors that take its blocks.
struct Job {
    const Configuration &configuration;
    void (*threads)(ThreadLoop &, const void *);
    const void *body;
    std::uint64_t blocks;
    BlockOrder order;
    std::vector<unsigned> thread_order; // empty: forward
    std::atomic<std::uint64_t> next_block{0};
    std::uint64_t time = 0; // of the checks
    int device = 0;
    GridBarrier *grid = nullptr; // of a cooperative launch
    std::atomic<bool> failed{false};
    std::atomic<cudaError_t> error{cudaErrorLaunchFailure}; // if it failed
};

struct Barrier {
    FiberList waiting;
    unsigned arrived = 0;
    unsigned count = 0;  // of arrivals whose predicate is set
    unsigned result = 0; // the count of the round before, which its threads have yet to read
    int line = 0;
    int site = 0;
};

// Lanes that meet in warp functions under one mask.
struct WarpGroup {
    unsigned mask = 0;
    unsigned arrived = 0;
    unsigned given = 0; // who arrived in the round before
    unsigned round = 0;
    int line = 0;
    bool orders = false; // memory, as __syncwarp does and shuffles do not
    FiberList waiting;
    // Two tables in turn: no lane is two rounds ahead of a lane that has yet to read.
    unsigned long long words[2][32] = {};
};

struct Processor {
    ThreadLoop loop;
    Context caller; // of the OS thread's own stack
    Fiber *current = nullptr;
    FiberList ready;
    Fiber *free = nullptr;
    std::vector<Fiber *> fibers;
    Job *job = nullptr;
    std::uint64_t blocks_left = 0; // this processor may still take
    bool is_running = false;       // threads of a kernel, on this OS thread
    Barrier block_barrier;
    std::vector<Barrier> worker_barriers;
    std::vector<std::unique_ptr<WarpGroup>> warps[32];
    std::vector<unsigned char> dynamic_shared;
    std::string kernel; // its own name, as long as the checks may ask

    ~Processor();
    // Runs at most `most` blocks of the job; false once there are none left.
    bool run_blocks(Job &job, std::uint64_t most);

    bool take_block();
    void *dynamic_memory();
    Fiber *fresh_fiber();
    Fiber *next_fiber();
    void wait_in(FiberList &list);
    void release(FiberList &list);
    void fail(const char *what, const void *pc = nullptr, int line = 0);
    bool release_exited_warps();
    void report_deadlock();
    void goes_on(const Fiber &fiber);
    [[noreturn]] void abandon();
    [[noreturn]] void fiber_main();
};

Processor &this_processor();

// Whether this OS thread runs threads of a kernel.
bool is_in_kernel();

} // namespace accrs::emulation

#endif
