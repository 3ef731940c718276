// SPDX-License-Identifier: 0BSD
//
// What the emulation tells whoever watches a program: the checks (checks/) or the counts
// (counts/). Only watched builds have one of them: they are compiled with ACCRS_WATCHED, their
// kernels also with -fsanitize=thread, whose calls at every load and store the watcher answers.
// Elsewhere all of this is empty.
#ifndef ACCRS_EMULATION_WATCH_HPP
#define ACCRS_EMULATION_WATCH_HPP

#include <cstddef>
#include <cstdint>

#if ACCRS_WATCHED

// A function of the emulation within a kernel file, whose accesses are not the kernel's own.
#define ACCRS_UNCHECKED __attribute__((no_sanitize("thread"), noinline))

#if defined(__SANITIZE_THREAD__)
#define ACCRS_INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ACCRS_INSTRUMENTED 1
#endif
#endif

namespace accrs::watch {

// A launch in a stream begins: gives the time from which on everything is a part of it.
std::uint64_t launch_begins(const void *stream);
// The same host thread has carried it out.
void launch_ends();
// The same within a cooperative launch, all blocks of which have met.
std::uint64_t grid_begins_anew();
// Streams, null for the current device's own, and what waits for what. `joins_default`: this one and
// the device's own wait for each other.
void stream_made(const void *stream, bool joins_default);
void stream_ends(const void *stream);
void stream_waits(const void *stream, const void *event);
void event_recorded(const void *event, const void *stream);
void host_waits_for_stream(const void *stream);
void host_waits_for_event(const void *event);
void host_waits_for_all();
// An OS thread begins to run blocks of a launch, and has ended that.
void processor_begins(std::uint64_t launch_time, const char *kernel, char *dynamic_shared, std::size_t dynamic_bytes, int device);
void processor_ends();
void block_begins(std::uint64_t block);
// The thread `linear` of the block begins or goes on, on that stack.
void thread_runs(unsigned linear, const char *stack, std::size_t stack_bytes);
// All threads of the block, of a worker, of a warp have met.
void block_meets();
void worker_meets(unsigned worker);
void warp_meets(unsigned warp);
// A block of a cooperative launch waits for all others; and goes on, at a time after all of them.
void grid_waits();
void grid_meets(std::uint64_t time);
// Threads wait at a barrier, perhaps this one at `pc`, that others will not reach.
void barrier_missed(const char *what, const void *pc, int line);

// That of all devices, in equal parts.
void memory_reserved(char *begin, std::size_t bytes, int devices);
void allocated(char *begin, std::size_t bytes);
void released(char *begin, std::size_t bytes);
// The host has written device memory, unseen.
void written(const void *begin, std::size_t bytes);
// A copy in a stream, of which one side at least is device memory; all bytes get one value; memory is
// given back in the order of a stream.
void copying(void *to, const void *from, std::size_t bytes, const void *stream);
// A copy to device memory of a value that the host reads now, whenever the stream gets to it.
void copying_value(void *to, const void *from, std::size_t bytes, const void *stream);
void clearing(void *begin, std::size_t bytes, const void *stream);
void freeing(void *begin, std::size_t bytes, const void *stream);
// A section of the host's memory has a copy on the device; the copy is about to be given back.
void present(const void *host, std::size_t bytes, const void *device, const char *name);
void absent(const void *device);
void named(const void *begin, const char *name);
// Bytes to leave free after an allocation, so that most overruns reach no other one.
std::size_t gap(std::size_t bytes);

// A kernel updates, reads or writes memory in one step.
void atomic_access(void *address, std::size_t bytes, const void *pc);
void atomic_read(void *address, std::size_t bytes, const void *pc);
void atomic_write(void *address, std::size_t bytes, const void *pc);
// While one lives, a kernel changes or reads the variable in one step; no other does meanwhile.
class InOneStep {
public:
    explicit InOneStep(const void *address);
    ~InOneStep();
    InOneStep(const InOneStep &) = delete;
    InOneStep &operator=(const InOneStep &) = delete;

private:
    void *variable_ = nullptr;
    void *held_ = nullptr;
};
// A thread of a kernel passes a fence of the device.
void fence();
// Several threads may write one slot of this shared array between two barriers.
void channel(const void *begin, std::size_t bytes);
// A kernel shifts a value of so many bits by so many places or, if that is negative, what it is
// as a signed number.
void shifted_out(unsigned bits, unsigned long long places, bool is_negative);
// While one lives its thread fills a window: what it copies there counts as read once the slot is.
struct Fetch {
    Fetch();
    ~Fetch();
    Fetch(const Fetch &) = delete;
    Fetch &operator=(const Fetch &) = delete;
};

} // namespace accrs::watch

#define ACCRS_ATOMIC(address)                                                                          \
    accrs::watch::atomic_access(address, sizeof *(address), __builtin_return_address(0));              \
    const accrs::watch::InOneStep accrs_in_one_step(address)
#define ACCRS_ATOMIC_READ(address)                                                                     \
    accrs::watch::atomic_read(address, sizeof *(address), __builtin_return_address(0));                \
    const accrs::watch::InOneStep accrs_in_one_step(address)
#define ACCRS_ATOMIC_WRITE(address) accrs::watch::atomic_write(address, sizeof *(address), __builtin_return_address(0))

#else

#define ACCRS_UNCHECKED
#define ACCRS_ATOMIC(address) static_cast<void>(0)
#define ACCRS_ATOMIC_READ(address) static_cast<void>(0)
#define ACCRS_ATOMIC_WRITE(address) static_cast<void>(0)

namespace accrs::watch {

inline std::uint64_t launch_begins(const void *) { return 0; }
inline void launch_ends() {}
inline std::uint64_t grid_begins_anew() { return 0; }
inline void stream_made(const void *, bool) {}
inline void stream_ends(const void *) {}
inline void stream_waits(const void *, const void *) {}
inline void event_recorded(const void *, const void *) {}
inline void host_waits_for_stream(const void *) {}
inline void host_waits_for_event(const void *) {}
inline void host_waits_for_all() {}
inline void processor_begins(std::uint64_t, const char *, char *, std::size_t, int) {}
inline void processor_ends() {}
inline void block_begins(std::uint64_t) {}
inline void thread_runs(unsigned, const char *, std::size_t) {}
inline void block_meets() {}
inline void worker_meets(unsigned) {}
inline void warp_meets(unsigned) {}
inline void grid_waits() {}
inline void grid_meets(std::uint64_t) {}
inline void barrier_missed(const char *, const void *, int) {}
inline void fence() {}
inline void memory_reserved(char *, std::size_t, int) {}
inline void allocated(char *, std::size_t) {}
inline void released(char *, std::size_t) {}
inline void written(const void *, std::size_t) {}
inline void copying(void *, const void *, std::size_t, const void *) {}
inline void copying_value(void *, const void *, std::size_t, const void *) {}
inline void clearing(void *, std::size_t, const void *) {}
inline void freeing(void *, std::size_t, const void *) {}
inline void named(const void *, const char *) {}
inline std::size_t gap(std::size_t) { return 0; }

} // namespace accrs::watch

#endif

#endif
