// SPDX-License-Identifier: 0BSD
//
// What a kernel sees of CUDA: its indices, barriers, warp functions; and the launch.
//
// A block runs on one OS thread (a *processor*) and never moves. Its threads run one after the
// other on one stack until one must wait; that one keeps the stack, and a further fiber takes
// the rest. So a kernel without barriers is a plain loop.
#ifndef ACCRS_EMULATION_KERNEL_HPP
#define ACCRS_EMULATION_KERNEL_HPP

#include "cuda_runtime.hpp"

#include <type_traits>

// NOLINTBEGIN: CUDA's names
#if ACCRS_WATCHED
// Defined in processor.cpp. To kernels they are constant, and reads of constants are not checked.
#if ACCRS_INSTRUMENTED
#define ACCRS_INDEX const __thread
#else
#define ACCRS_INDEX __thread
#endif
// A dim3, which has a constructor, would not be constant to the compiler.
struct accrs_extent {
    unsigned x, y, z;
    operator dim3() const { return dim3(x, y, z); }
};
extern ACCRS_INDEX uint3 threadIdx;
extern ACCRS_INDEX uint3 blockIdx;
extern ACCRS_INDEX accrs_extent blockDim;
extern ACCRS_INDEX accrs_extent gridDim;
#else
inline thread_local uint3 threadIdx{0, 0, 0};
inline thread_local uint3 blockIdx{0, 0, 0};
inline thread_local dim3 blockDim;
inline thread_local dim3 gridDim;
#endif
constexpr int warpSize = 32;
// NOLINTEND

namespace accrs::emulation {
// What a kernel takes from the heap of the device with malloc and gives back with free.
void *allocate_in_heap(std::size_t bytes);
void release_in_heap(void *memory);
} // namespace accrs::emulation

namespace accrs::emulation {

struct Fiber;

// The part of a processor that the loop over a block's threads touches.
struct ThreadLoop {
    unsigned threads = 0; // of a block
    unsigned begun = 0;   // threads of this block that have begun
    unsigned ended = 0;
    const unsigned *order = nullptr; // the order in which threads begin; none: forward
    uint3 next{0, 0, 0};             // the thread that begins next, going forward
    Fiber *ready = nullptr;          // threads that have left a barrier and can go on

#if ACCRS_WATCHED
    void begin_thread(); // in processor.cpp: not a part of the kernel file
#else
    void begin_thread() { choose_thread(); }
#endif

#if !ACCRS_INSTRUMENTED
    void choose_thread()
    {
        if (order == nullptr) {
            threadIdx = next;
            if (++next.x == blockDim.x) {
                next.x = 0;
                if (++next.y == blockDim.y) {
                    next.y = 0;
                    ++next.z;
                }
            }
        } else {
            const unsigned linear = order[begun];
            threadIdx = {linear % blockDim.x, linear / blockDim.x % blockDim.y, linear / blockDim.x / blockDim.y};
        }
        ++begun;
    }
#endif
};

// Runs threads of the current block until none is left to begin, or one that waited can go on.
template <class Body> ACCRS_UNCHECKED void run_threads(ThreadLoop &loop, const void *opaque)
{
    const Body &body = *static_cast<const Body *>(opaque);
    while (loop.begun < loop.threads) {
        loop.begin_thread();
        body();
        ++loop.ended;
        if (loop.ready != nullptr)
            return;
    }
}

struct Configuration {
    dim3 grid;
    dim3 block;
    std::size_t dynamic_shared;
    const char *kernel;
    const void *address;
    bool cooperative = false; // all blocks at once: they can meet
    cudaStream_t stream = nullptr;
    bool generated = false; // a template over the index type has one name
};

// `body` has all that the kernel is called with; as CUDA does with arguments, what is carried out later has it
// byte by byte. With 0 bytes it cannot be kept, and the launch is carried out at once.
void run(const Configuration &configuration, void (*threads)(ThreadLoop &, const void *), const void *body, std::size_t bytes);
template <class Body> void run(const Configuration &configuration, const Body &body)
{
    run(configuration, run_threads<Body>, &body, sizeof body);
}
void *dynamic_shared();
// Of pointers to the copies of a global variable, `stride` bytes apart, that of the launch's device.
void *global_copy(const void *copies, std::size_t stride);

template <class Kernel> struct Launcher;

template <class... Parameters> struct Launcher<void (*)(Parameters...)> {
    template <void (*kernel)(Parameters...)> struct Launch {
        static constexpr std::size_t parameters = sizeof...(Parameters);
        Configuration configuration;

        // Arguments are converted once, here, and every thread gets a copy: CUDA's parameters.
        void operator()(Parameters... arguments) const
        {
            run(configuration, [=]() ACCRS_UNCHECKED { kernel(arguments...); });
        }
    };
};

// kernel<<<grid, block, shared, stream>>>(arguments) is written
// launch<kernel>(grid, block, shared, stream)(arguments): the kernel is a template argument so
// that its code can be inlined into the loop over threads.
template <auto kernel>
typename Launcher<decltype(kernel)>::template Launch<kernel> launch(dim3 grid, dim3 block, std::size_t shared = 0,
                                                                    cudaStream_t stream = nullptr)
{
    const auto *const address = reinterpret_cast<const void *>(kernel);
    return {{grid, block, shared, __PRETTY_FUNCTION__, address, false, stream, true}};
}

template <auto kernel> typename Launcher<decltype(kernel)>::template Launch<kernel> launch(Configuration configuration)
{
    configuration.kernel = __PRETTY_FUNCTION__;
    configuration.address = reinterpret_cast<const void *>(kernel);
    return {configuration};
}

// `site` tells barriers apart that stand on one line of the user's source.
unsigned block_barrier(unsigned predicate, int line, int site = 0);
void worker_barrier(int line);
// All threads of a cooperative launch.
void grid_barrier(int line);
// All lanes of `mask` that still run give a word and get the table of all words; `given` is set
// to the lanes that gave one. The table is valid until the lane's next exchange.
const unsigned long long *exchange(unsigned mask, unsigned long long word, unsigned &given, int line);
void warp_barrier(unsigned mask, int line);

inline unsigned linear_thread()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

inline unsigned lane()
{
    return linear_thread() % 32;
}

template <class T> unsigned long long to_word(T value)
{
    static_assert(std::is_arithmetic<T>::value && sizeof(T) <= 8, "CUDA shuffles arithmetic types of up to 8 bytes");
    unsigned long long word = 0;
    __builtin_memcpy(&word, &value, sizeof value);
    return word;
}

// The value of lane `source`, or one's own where that lane takes no part.
template <class T> ACCRS_UNCHECKED T shuffle(unsigned mask, T value, unsigned source, bool inside, int line)
{
    unsigned given = 0;
    const unsigned long long *words = exchange(mask, to_word(value), given, line);
    if (inside && (given >> source & 1u) != 0)
        __builtin_memcpy(&value, &words[source], sizeof value);
    return value;
}

ACCRS_UNCHECKED inline unsigned ballot(unsigned mask, bool predicate, unsigned &given, int line)
{
    const unsigned long long *words = exchange(mask, predicate ? 1 : 0, given, line);
    unsigned votes = 0;
    for (unsigned i = 0; i < 32; ++i)
        if ((given >> i & 1u) != 0 && words[i] != 0)
            votes |= 1u << i;
    return votes;
}

// The values of all lanes of `mask` in one, in the order of lanes.
template <class T, class Combine> ACCRS_UNCHECKED T combine(unsigned mask, T value, Combine combine, int line)
{
    unsigned given = 0;
    const unsigned long long *words = exchange(mask, to_word(value), given, line);
    bool any = false;
    T result = value;
    for (unsigned i = 0; i < 32; ++i) {
        if ((given >> i & 1u) == 0)
            continue;
        T other;
        __builtin_memcpy(&other, &words[i], sizeof other);
        result = any ? combine(result, other) : other;
        any = true;
    }
    return result;
}

} // namespace accrs::emulation

// NOLINTBEGIN: CUDA's names. Each barrier is known by the line it stands on.
#if ACCRS_WATCHED
namespace accrs::emulation {

// Which of a file's barriers: several may come from one line of the user's source.
struct BarrierSite {
    int site;

    void all(int line = __builtin_LINE()) const { block_barrier(0, line, site); }
    int count(int predicate, int line = __builtin_LINE()) const
    {
        return static_cast<int>(block_barrier(predicate != 0, line, site));
    }
    int any(int predicate, int line = __builtin_LINE()) const { return block_barrier(predicate != 0, line, site) != 0; }
    int none_not(int predicate, int line = __builtin_LINE()) const { return block_barrier(predicate == 0, line, site) == 0; }
};

} // namespace accrs::emulation

#define ACCRS_BARRIER_SITE accrs::emulation::BarrierSite{__COUNTER__}
#define __syncthreads(...) ACCRS_BARRIER_SITE.all(__VA_ARGS__)
#define __syncthreads_count(...) ACCRS_BARRIER_SITE.count(__VA_ARGS__)
#define __syncthreads_or(...) ACCRS_BARRIER_SITE.any(__VA_ARGS__)
#define __syncthreads_and(...) ACCRS_BARRIER_SITE.none_not(__VA_ARGS__)
#else
inline void __syncthreads(int line = __builtin_LINE())
{
    accrs::emulation::block_barrier(0, line);
}

inline int __syncthreads_count(int predicate, int line = __builtin_LINE())
{
    return static_cast<int>(accrs::emulation::block_barrier(predicate != 0, line));
}

inline int __syncthreads_or(int predicate, int line = __builtin_LINE())
{
    return accrs::emulation::block_barrier(predicate != 0, line) != 0;
}

inline int __syncthreads_and(int predicate, int line = __builtin_LINE())
{
    return accrs::emulation::block_barrier(predicate == 0, line) == 0;
}
#endif

inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE())
{
    accrs::emulation::warp_barrier(mask, line);
}

template <class T> T __shfl_sync(unsigned mask, T value, int source, int width = 32, int line = __builtin_LINE())
{
    const unsigned segment = accrs::emulation::lane() & ~static_cast<unsigned>(width - 1);
    return accrs::emulation::shuffle(mask, value, segment | (static_cast<unsigned>(source) & static_cast<unsigned>(width - 1)),
                                     true, line);
}

template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE())
{
    const unsigned lane = accrs::emulation::lane();
    const bool inside = (lane & static_cast<unsigned>(width - 1)) >= delta;
    return accrs::emulation::shuffle(mask, value, (lane - delta) & 31u, inside, line);
}

template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE())
{
    const unsigned lane = accrs::emulation::lane();
    const bool inside = (lane & static_cast<unsigned>(width - 1)) + delta < static_cast<unsigned>(width);
    return accrs::emulation::shuffle(mask, value, (lane + delta) & 31u, inside, line);
}

template <class T> T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, int line = __builtin_LINE())
{
    const unsigned lane = accrs::emulation::lane();
    const unsigned source = lane ^ static_cast<unsigned>(lanes);
    // CUDA: later segments are not read, earlier ones are.
    const bool inside = source / static_cast<unsigned>(width) <= lane / static_cast<unsigned>(width);
    return accrs::emulation::shuffle(mask, value, source & 31u, inside, line);
}

ACCRS_UNCHECKED inline unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE())
{
    unsigned given = 0;
    return accrs::emulation::ballot(mask, predicate != 0, given, line);
}

inline int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE())
{
    return __ballot_sync(mask, predicate, line) != 0;
}

ACCRS_UNCHECKED inline int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE())
{
    unsigned given = 0;
    return accrs::emulation::ballot(mask, predicate != 0, given, line) == given;
}

// Threads run one at a time, so a lane is converged with itself alone; CUDA promises no more.
inline unsigned __activemask()
{
    return 1u << accrs::emulation::lane();
}

ACCRS_UNCHECKED inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
ACCRS_UNCHECKED inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    accrs::watch::fence();
}
ACCRS_UNCHECKED inline void __threadfence_system() { __threadfence(); }

inline unsigned __reduce_add_sync(unsigned mask, unsigned value, int line = __builtin_LINE())
{
    return accrs::emulation::combine(mask, value, [](unsigned a, unsigned b) { return a + b; }, line);
}

inline int __reduce_add_sync(unsigned mask, int value, int line = __builtin_LINE())
{
    return accrs::emulation::combine(mask, value, [](int a, int b) { return a + b; }, line);
}

template <class T> T __reduce_min_sync(unsigned mask, T value, int line = __builtin_LINE())
{
    return accrs::emulation::combine(mask, value, [](T a, T b) { return b < a ? b : a; }, line);
}

template <class T> T __reduce_max_sync(unsigned mask, T value, int line = __builtin_LINE())
{
    return accrs::emulation::combine(mask, value, [](T a, T b) { return a < b ? b : a; }, line);
}

inline unsigned __reduce_and_sync(unsigned mask, unsigned value, int line = __builtin_LINE())
{
    return accrs::emulation::combine(mask, value, [](unsigned a, unsigned b) { return a & b; }, line);
}

inline unsigned __reduce_or_sync(unsigned mask, unsigned value, int line = __builtin_LINE())
{
    return accrs::emulation::combine(mask, value, [](unsigned a, unsigned b) { return a | b; }, line);
}

inline unsigned __reduce_xor_sync(unsigned mask, unsigned value, int line = __builtin_LINE())
{
    return accrs::emulation::combine(mask, value, [](unsigned a, unsigned b) { return a ^ b; }, line);
}

// The lanes that have the same value.
template <class T> ACCRS_UNCHECKED unsigned __match_any_sync(unsigned mask, T value, int line = __builtin_LINE())
{
    unsigned given = 0, equal = 0;
    const unsigned long long own = accrs::emulation::to_word(value);
    const unsigned long long *words = accrs::emulation::exchange(mask, own, given, line);
    for (unsigned i = 0; i < 32; ++i)
        if ((given >> i & 1u) != 0 && words[i] == own)
            equal |= 1u << i;
    return equal;
}

template <class T> unsigned __match_all_sync(unsigned mask, T value, int *all, int line = __builtin_LINE())
{
    const unsigned equal = __match_any_sync(mask, value, line);
    const bool is_all = __all_sync(mask, equal == __ballot_sync(mask, 1, line), line) != 0;
    *all = is_all;
    return is_all ? equal : 0;
}

inline int __popc(unsigned word) { return __builtin_popcount(word); }
inline int __popcll(unsigned long long word) { return __builtin_popcountll(word); }
inline int __clz(int word) { return word == 0 ? 32 : __builtin_clz(static_cast<unsigned>(word)); }
inline int __clzll(long long word) { return word == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(word)); }
inline int __ffs(int word) { return __builtin_ffs(word); }
inline int __ffsll(long long word) { return __builtin_ffsll(word); }

template <class T> T __ldg(const T *address)
{
    return *address;
}
// NOLINTEND

#include "atomics.hpp"

#endif
