// SPDX-License-Identifier: 0BSD
//
// How the threads of a block take turns.
//
// A thread that must wait goes into the list of what it waits for and the processor switches to
// a thread that can go on, or lets a fresh fiber begin the threads that have not begun. When
// neither is there the block is stuck: some threads ended or wait elsewhere. CUDA leaves that
// undefined; here it is reported, and the launch fails.
#include "processor.hpp"

#include "pipeline.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#if ACCRS_WATCHED
__thread uint3 threadIdx{0, 0, 0};
__thread uint3 blockIdx{0, 0, 0};
__thread accrs_extent blockDim{1, 1, 1};
__thread accrs_extent gridDim{1, 1, 1};
#endif

namespace accrs::emulation {

namespace {

unsigned bits(unsigned word)
{
    return static_cast<unsigned>(__builtin_popcount(word));
}

// The kernel's own name out of "... [with auto kernel = name; ...]".
std::string kernel_name(const Configuration &configuration)
{
    const std::string text = configuration.kernel;
    std::size_t begin = text.find("kernel = ");
    if (begin == std::string::npos)
        return text;
    begin += std::strlen("kernel = ");
    if (begin < text.size() && text[begin] == '&')
        ++begin;
    const std::size_t end = text.find_first_of(";](", begin);
    const std::string name = text.substr(begin, end - begin);
    for (const std::string index : {"<int>", "<long>", "<long int>"}) {
        const std::size_t length = name.size() - std::min(name.size(), index.size());
        if (configuration.generated && name.substr(length) == index)
            return name.substr(0, length);
    }
    return name;
}

// AddressSanitizer clears what it takes for the stack before a call that does not return, and
// knows of the OS thread's stack only.
__attribute__((no_sanitize("address"))) void enter_fiber()
{
    this_processor().fiber_main();
}

unsigned linear(const uint3 &thread)
{
    return thread.x + blockDim.x * (thread.y + blockDim.y * thread.z);
}

} // namespace

namespace {

// A plain pointer: the guard of a local with a destructor costs at every barrier. Handlers of exit,
// which come after the ends of a thread's objects, may launch kernels, too, and get another one.
thread_local Processor *own_processor = nullptr;

struct ProcessorEnd {
    ~ProcessorEnd()
    {
        delete own_processor;
        own_processor = nullptr;
    }
};

Processor &new_processor()
{
    own_processor = new Processor;
    static thread_local ProcessorEnd end;
    (void)end;
    return *own_processor;
}

} // namespace

Processor &this_processor()
{
    return __builtin_expect(own_processor != nullptr, 1) ? *own_processor : new_processor();
}

bool is_in_kernel()
{
    return own_processor != nullptr && own_processor->is_running;
}

void *Processor::dynamic_memory()
{
    const auto start = reinterpret_cast<std::uintptr_t>(dynamic_shared.data());
    return reinterpret_cast<void *>((start + 15) & ~std::uintptr_t(15));
}

Processor::~Processor()
{
    for (Fiber *fiber : fibers)
        destroy_fiber(fiber);
}

bool Processor::take_block()
{
    if (blocks_left == 0 || job->failed.load(std::memory_order_relaxed))
        return false;
    const std::uint64_t i = job->next_block.fetch_add(1, std::memory_order_relaxed);
    if (i >= job->blocks)
        return false;
    --blocks_left;
    const std::uint64_t block = job->order.block(i, job->blocks);
    const dim3 &grid = job->configuration.grid;
    blockIdx = {static_cast<unsigned>(block % grid.x), static_cast<unsigned>(block / grid.x % grid.y),
                static_cast<unsigned>(block / grid.x / grid.y)};
    watch::block_begins(block);
    forget_copies();
    loop.begun = loop.ended = 0;
    loop.next = {0, 0, 0};
    return true;
}

bool Processor::run_blocks(Job &work, std::uint64_t most)
{
    const dim3 &block = work.configuration.block;
    const unsigned threads = block.x * block.y * block.z;
    if (loop.threads != threads)
        for (auto &groups : warps)
            groups.clear();
    job = &work;
    blocks_left = most;
    loop.threads = threads;
    loop.order = work.thread_order.empty() ? nullptr : work.thread_order.data();
    const dim3 &grid = work.configuration.grid;
    blockDim = {block.x, block.y, block.z};
    gridDim = {grid.x, grid.y, grid.z};
    if (dynamic_shared.size() < work.configuration.dynamic_shared + 16)
        dynamic_shared.resize(work.configuration.dynamic_shared + 16);
    if (worker_barriers.size() < static_cast<std::size_t>(block.y) * block.z)
        worker_barriers.resize(static_cast<std::size_t>(block.y) * block.z);
#if ACCRS_WATCHED
    kernel = kernel_name(work.configuration);
#endif
    watch::processor_begins(work.time, kernel.c_str(), static_cast<char *>(dynamic_memory()), work.configuration.dynamic_shared,
                            work.device);
    if (take_block()) {
        current = fresh_fiber();
        is_running = true;
        switch_context(caller, current->context);
        is_running = false;
    }
    watch::processor_ends();
    return work.next_block.load(std::memory_order_relaxed) < work.blocks && !work.failed.load(std::memory_order_relaxed);
}

Fiber *Processor::fresh_fiber()
{
    Fiber *fiber = free;
    if (fiber != nullptr) {
        free = fiber->next;
    } else {
        fiber = create_fiber(static_cast<unsigned>(fibers.size()));
        fibers.push_back(fiber);
    }
    prepare(*fiber, enter_fiber);
    return fiber;
}

// Who runs next, or null if no thread can. Threads that left a barrier go first: that keeps the
// number of stacks in use small.
Fiber *Processor::next_fiber()
{
    Fiber *fiber = ready.first;
    if (fiber != nullptr) {
        ready.first = fiber->next;
        loop.ready = ready.first;
        return fiber;
    }
    return loop.begun < loop.threads ? fresh_fiber() : nullptr;
}

void Processor::release(FiberList &list)
{
    if (list.first == nullptr)
        return;
    (ready.first == nullptr ? ready.first : ready.last->next) = list.first;
    ready.last = list.last;
    loop.ready = ready.first;
    list = {};
}

void Processor::wait_in(FiberList &list)
{
    Fiber *self = current;
    self->thread = threadIdx;
    list.append(self);
    Fiber *to = next_fiber();
    if (to == nullptr && release_exited_warps())
        to = next_fiber();
    if (to == self) { // its own wait has just ended
        goes_on(*self);
        return;
    }
    if (to == nullptr) {
        report_deadlock();
        abandon();
    }
    current = to;
    switch_context(self->context, to->context);
    goes_on(*self);
}

void Processor::goes_on(const Fiber &fiber)
{
    threadIdx = fiber.thread;
    watch::thread_runs(linear(fiber.thread), fiber.stack, fiber.stack_bytes);
}

// Where every fiber begins. A fiber runs threads until none is left to begin, then hands on: to
// a thread that can go on, to the next block, or back to the OS thread's own stack.
void Processor::fiber_main()
{
    for (;;) {
        job->threads(loop, job->body);
        Fiber *to = ready.first;
        if (to == nullptr && loop.begun < loop.threads)
            continue;
        if (to == nullptr && loop.ended == loop.threads) {
            if (take_block())
                continue;
            current->next = free;
            free = current;
            switch_context(current->context, caller);
        }
        if (to == nullptr && !release_exited_warps()) {
            report_deadlock();
            abandon();
        }
        // This fiber has nothing to keep: it goes back to the free ones and is prepared anew.
        Fiber *self = current;
        to = next_fiber();
        self->next = free;
        free = self;
        current = to;
        switch_context(self->context, to->context);
    }
}

// Lanes that have ended take no part in warp functions: groups that wait only for those go on.
// Called when no thread can run, so that a thread that does not wait has ended.
bool Processor::release_exited_warps()
{
    unsigned waiting[32] = {};
    const auto note = [&](const FiberList &list) {
        for (Fiber *fiber = list.first; fiber != nullptr; fiber = fiber->next)
            waiting[linear(fiber->thread) / 32] |= 1u << linear(fiber->thread) % 32;
    };
    note(block_barrier.waiting);
    for (const Barrier &barrier : worker_barriers)
        note(barrier.waiting);
    for (const auto &groups : warps)
        for (const auto &group : groups)
            note(group->waiting);
    bool released = false;
    for (unsigned warp = 0; warp < 32; ++warp)
        for (const auto &group : warps[warp])
            if (group->arrived != 0 && (group->mask & ~group->arrived & waiting[warp]) == 0) {
                group->given = group->arrived;
                group->arrived = 0;
                ++group->round;
                if (group->orders)
                    watch::warp_meets(warp);
                release(group->waiting);
                released = true;
            }
    return released;
}

void Processor::fail(const char *what, const void *pc, int line)
{
    watch::barrier_missed(what, pc, line);
    if (job->failed.exchange(true))
        return; // one report a launch
    std::fprintf(stderr, "accrs: emulation: kernel %s, block (%u,%u,%u): %s\n", kernel_name(job->configuration).c_str(),
                 blockIdx.x, blockIdx.y, blockIdx.z, what);
}

void Processor::report_deadlock()
{
    std::string text = "a barrier is not reached by all threads:";
    char part[160];
    unsigned others = loop.ended;
    if (others != 0) {
        std::snprintf(part, sizeof part, " %u of %u threads have ended", others, loop.threads);
        text += part;
    }
    const auto add = [&](const char *what, unsigned arrived, const Fiber *first, int line) {
        if (arrived == 0)
            return;
        std::snprintf(part, sizeof part, "%s %u wait%s in %s at line %d (the first is thread (%u,%u,%u))",
                      text.back() == ':' ? "" : ",", arrived, arrived == 1 ? "s" : "", what, line, first->thread.x,
                      first->thread.y, first->thread.z);
        text += part;
    };
    add("__syncthreads", block_barrier.arrived, block_barrier.waiting.first, block_barrier.line);
    for (const Barrier &barrier : worker_barriers)
        add("sync_worker", barrier.arrived, barrier.waiting.first, barrier.line);
    for (const auto &groups : warps)
        for (const auto &group : groups)
            add("a warp function", bits(group->arrived), group->waiting.first, group->line);
    fail(text.c_str(), nullptr, block_barrier.arrived != 0 ? block_barrier.line : 0);
}

// Drops the block with all its waiting threads and goes back to the OS thread's own stack.
void Processor::abandon()
{
    job->failed.store(true);
    block_barrier = {};
    std::fill(worker_barriers.begin(), worker_barriers.end(), Barrier{});
    for (auto &groups : warps)
        groups.clear();
    ready = {};
    loop.ready = nullptr;
    free = nullptr;
    for (Fiber *fiber : fibers) {
        fiber->next = free;
        free = fiber;
    }
    Context unused;
    switch_context(unused, caller);
    __builtin_unreachable(); // no thread switches back
}

unsigned block_barrier(unsigned predicate, int line, int site)
{
    Processor &processor = this_processor();
    Barrier &barrier = processor.block_barrier;
    if (barrier.arrived == 0) {
        barrier.line = line;
        barrier.site = site;
    } else if (barrier.line != line || barrier.site != site) {
        char text[160];
        std::snprintf(text, sizeof text, "threads wait at different barriers: __syncthreads at line %d and, thread (%u,%u,%u), at line %d",
                      barrier.line, threadIdx.x, threadIdx.y, threadIdx.z, line);
        processor.fail(text, __builtin_return_address(0), line);
        processor.abandon();
    }
    barrier.count += predicate;
    if (++barrier.arrived == processor.loop.threads) {
        barrier.result = barrier.count;
        barrier.arrived = barrier.count = 0;
        processor.release(barrier.waiting);
        watch::block_meets();
        watch::thread_runs(linear_thread(), processor.current->stack, processor.current->stack_bytes);
        return barrier.result;
    }
    processor.wait_in(barrier.waiting);
    return barrier.result;
}

void worker_barrier(int line)
{
    Processor &processor = this_processor();
    Barrier &barrier = processor.worker_barriers[threadIdx.y + static_cast<std::size_t>(blockDim.y) * threadIdx.z];
    barrier.line = line;
    if (++barrier.arrived == blockDim.x) {
        barrier.arrived = 0;
        processor.release(barrier.waiting);
        watch::worker_meets(threadIdx.y + blockDim.y * threadIdx.z);
        watch::thread_runs(linear_thread(), processor.current->stack, processor.current->stack_bytes);
        return;
    }
    processor.wait_in(barrier.waiting);
}

namespace {

const unsigned long long *meet(unsigned mask, unsigned long long word, unsigned &given, int line, bool orders)
{
    Processor &processor = this_processor();
    const unsigned thread = linear_thread();
    const unsigned warp = thread / 32;
    const unsigned existing = std::min(32u, processor.loop.threads - warp * 32);
    mask &= existing == 32 ? ~0u : (1u << existing) - 1;
    mask |= 1u << thread % 32; // CUDA demands it; a group without its own lane would never meet
    WarpGroup *group = nullptr;
    for (const auto &known : processor.warps[warp])
        if (known->mask == mask)
            group = known.get();
    if (group == nullptr) {
        processor.warps[warp].push_back(std::make_unique<WarpGroup>());
        group = processor.warps[warp].back().get();
        group->mask = mask;
    }
    const unsigned long long *words = group->words[group->round & 1u];
    group->words[group->round & 1u][thread % 32] = word;
    group->line = line;
    group->orders = orders;
    group->arrived |= 1u << thread % 32;
    if (group->arrived == mask) {
        group->given = mask;
        group->arrived = 0;
        ++group->round;
        processor.release(group->waiting);
        if (orders) {
            watch::warp_meets(warp);
            watch::thread_runs(thread, processor.current->stack, processor.current->stack_bytes);
        }
    } else {
        processor.wait_in(group->waiting);
    }
    given = group->given;
    return words;
}

} // namespace

const unsigned long long *exchange(unsigned mask, unsigned long long word, unsigned &given, int line)
{
    return meet(mask, word, given, line, false);
}

void warp_barrier(unsigned mask, int line)
{
    unsigned given = 0;
    meet(mask, 0, given, line, true);
}

void *global_copy(const void *copies, std::size_t stride)
{
    Processor &processor = this_processor();
    void *copy = nullptr;
    std::memcpy(&copy, static_cast<const char *>(copies) + static_cast<std::size_t>(processor.job->device) * stride, sizeof copy);
    if (copy == nullptr) {
        processor.job->error.store(cudaErrorIllegalAddress);
        processor.fail("a global variable is used that is not present on the device", __builtin_return_address(0));
        processor.abandon();
    }
    return copy;
}

void *dynamic_shared()
{
    return this_processor().dynamic_memory();
}

#if ACCRS_WATCHED

void ThreadLoop::begin_thread()
{
    choose_thread();
    const Fiber &fiber = *this_processor().current;
    watch::thread_runs(linear_thread(), fiber.stack, fiber.stack_bytes);
}

[[noreturn]] void stop_launch()
{
    Processor &processor = this_processor();
    processor.job->error.store(cudaErrorIllegalAddress);
    processor.abandon();
}

#endif

} // namespace accrs::emulation
