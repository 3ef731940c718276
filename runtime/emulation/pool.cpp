// SPDX-License-Identifier: 0BSD
//
// A launch: the device's limits, then blocks spread over the processors.
//
// The caller begins to run blocks at once and wakes the other processors only when what is left
// takes longer than waking them (some 40 microseconds), so small launches stay on the caller.
#include "cooperative.hpp"
#include "emulated_device.hpp"
#include "processor.hpp"
#include "streams.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <thread>

namespace accrs::emulation {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds worth_waking{60};

unsigned processor_count()
{
    if (const char *text = std::getenv("ACCRS_EMULATED_PROCESSORS")) {
        const long count = std::strtol(text, nullptr, 10);
        if (count >= 1 && count <= 1024)
            return static_cast<unsigned>(count);
    }
#if defined(__linux__)
    cpu_set_t set; // what this process may use, which in a container is less than the machine has
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return static_cast<unsigned>(CPU_COUNT(&set));
#endif
    const unsigned count = std::thread::hardware_concurrency();
    return count == 0 ? 1 : count;
}

// The OS threads besides the caller. They sleep between launches; one launch at a time.
class Pool {
public:
    Pool()
    {
        const unsigned others = processor_count() - 1;
        for (unsigned i = 0; i < others; ++i)
            threads_.emplace_back([this] { work(); });
    }

    ~Pool()
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (std::thread &thread : threads_)
            thread.join();
    }

    bool empty() const { return threads_.empty(); }

    // Runs what is left of `job` on all processors, the caller's included.
    void share(Job &job)
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            job_ = &job;
            ++generation_;
            busy_ = threads_.size();
        }
        wake_.notify_all();
        this_processor().run_blocks(job, ~std::uint64_t(0));
        std::unique_lock<std::mutex> lock(mutex_);
        done_.wait(lock, [this] { return busy_ == 0; });
    }

    // Held by the launch that uses the pool; another host thread's launch stays on its caller.
    std::mutex in_use;

private:
    void work()
    {
        std::uint64_t seen = 0;
        for (;;) {
            Job *job = nullptr;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
                if (stop_)
                    return;
                seen = generation_;
                job = job_;
            }
            this_processor().run_blocks(*job, ~std::uint64_t(0));
            const std::lock_guard<std::mutex> lock(mutex_);
            if (--busy_ == 0)
                done_.notify_one();
        }
    }

    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    Job *job_ = nullptr;
    std::uint64_t generation_ = 0;
    std::size_t busy_ = 0;
    bool stop_ = false;
};

// Never destroyed: a program may launch from a destructor, and exit does not wait for it.
std::atomic<Pool *> instance{nullptr};
std::mutex making;

// A child process has none of its parent's threads: its first launch makes a pool of its own. What
// another thread of the parent had locked, no one unlocks in the child.
void forget_in_child()
{
    instance.store(nullptr);
    new (&making) std::mutex;
}

Pool &pool()
{
    Pool *known = instance.load();
    if (known != nullptr)
        return *known;
    const std::lock_guard<std::mutex> lock(making);
    static const int registered = pthread_atfork(nullptr, nullptr, forget_in_child);
    (void)registered; // without memory for it, a child hangs
    known = instance.load();
    if (known == nullptr)
        instance.store(known = new Pool);
    return *known;
}

// CUDA's limits on a launch, as the chosen architecture has them.
cudaError_t check_limits(const Configuration &c)
{
    if (!is_of_current_device(c.stream))
        return cudaErrorInvalidResourceHandle;
    if (c.grid.x > 0x7fffffffu || c.grid.y > 65535 || c.grid.z > 65535 || c.block.x > 1024 || c.block.y > 1024 || c.block.z > 64)
        return cudaErrorInvalidConfiguration;
    const std::uint64_t threads = std::uint64_t(c.block.x) * c.block.y * c.block.z;
    if (threads == 0 || threads > 1024 || c.grid.x == 0 || c.grid.y == 0 || c.grid.z == 0)
        return cudaErrorInvalidConfiguration;
    if (c.cooperative && std::uint64_t(c.grid.x) * c.grid.y * c.grid.z > resident_blocks(static_cast<unsigned>(threads), c.dynamic_shared))
        return cudaErrorCooperativeLaunchTooLarge;
    return c.dynamic_shared > allowed_dynamic_shared(c.address) ? cudaErrorInvalidValue : cudaSuccess;
}

void run_job(Job &job)
{
    Processor &processor = this_processor();
    if (job.blocks == 1 || pool().empty()) {
        processor.run_blocks(job, ~std::uint64_t(0));
        return;
    }
    const Clock::time_point start = Clock::now();
    for (std::uint64_t done = 1, most = 1;; done += most, most *= 2) {
        if (!processor.run_blocks(job, most))
            return;
        const Clock::duration spent = Clock::now() - start;
        const std::uint64_t left = job.blocks > done ? job.blocks - done : 0;
        if (spent * left / done < worth_waking)
            continue;
        const std::unique_lock<std::mutex> lock(pool().in_use, std::try_to_lock);
        if (lock.owns_lock())
            pool().share(job);
        else
            processor.run_blocks(job, ~std::uint64_t(0));
        return;
    }
}

} // namespace

namespace {

void start(const Configuration &configuration, void (*threads)(ThreadLoop &, const void *), const void *body)
{
    const std::uint64_t blocks = std::uint64_t(configuration.grid.x) * configuration.grid.y * configuration.grid.z;
    const unsigned block_threads = configuration.block.x * configuration.block.y * configuration.block.z;
    Job job{configuration, threads, body, blocks, block_order(blocks), thread_order(block_threads)};
    job.time = watch::launch_begins(configuration.stream);
    (void)cudaGetDevice(&job.device);
    if (configuration.cooperative)
        run_at_once(job);
    else
        run_job(job);
    watch::launch_ends();
    if (job.failed.load())
        set_sticky_error(job.error.load());
}

} // namespace

void run(const Configuration &configuration, void (*threads)(ThreadLoop &, const void *), const void *body, std::size_t bytes)
{
    const cudaError_t limits = check_limits(configuration);
    if (limits != cudaSuccess) {
        set_last_error(limits);
        return;
    }
    if (streams_are_late() && bytes == 0)
        wait_for(configuration.stream);
    if (!streams_are_late() || bytes == 0)
        return start(configuration, threads, body);
    constexpr std::size_t alignment = 128; // of any argument
    const std::shared_ptr<void> kept(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment), std::free);
    std::memcpy(kept.get(), body, bytes);
    put_into(configuration.stream, [=] { start(configuration, threads, kept.get()); });
}

} // namespace accrs::emulation
