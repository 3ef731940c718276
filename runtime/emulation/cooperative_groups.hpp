// SPDX-License-Identifier: 0BSD
//
// CUDA's groups of threads that work together: blocks, tiles of warps, threads that are together by
// chance, grids.
//
// A group is known by its lanes in the warp, as the masks of warp functions have them; a block has
// none. Threads run one at a time, so that those together by chance are one, as CUDA allows.
#ifndef ACCRS_EMULATION_COOPERATIVE_GROUPS_HPP
#define ACCRS_EMULATION_COOPERATIVE_GROUPS_HPP

#include "kernel.hpp"

// NOLINTBEGIN: CUDA's names
namespace cooperative_groups {

class thread_group {
public:
    thread_group(unsigned lanes, unsigned size) : lanes_(lanes), size_(size) {}

    unsigned size() const { return size_; }
    unsigned num_threads() const { return size_; }

    unsigned thread_rank() const
    {
        if (lanes_ == 0)
            return accrs::emulation::linear_thread();
        return static_cast<unsigned>(__builtin_popcount(lanes_ & ((1u << accrs::emulation::lane()) - 1)));
    }

    void sync(int line = __builtin_LINE()) const
    {
        if (lanes_ == 0)
            accrs::emulation::block_barrier(0, line);
        else
            accrs::emulation::warp_barrier(lanes_, line);
    }

protected:
    unsigned lanes_; // 0: the whole block
    unsigned size_;
};

class thread_block : public thread_group {
public:
    thread_block() : thread_group(0, blockDim.x * blockDim.y * blockDim.z) {}

    static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static dim3 dim_threads() { return group_dim(); }
};

inline thread_block this_thread_block()
{
    return thread_block();
}

// What groups of lanes can besides.
class lane_group : public thread_group {
public:
    using thread_group::thread_group;

    template <class T> T shfl(T value, int source, int line = __builtin_LINE()) const
    {
        return accrs::emulation::shuffle(lanes_, value, lane_of(static_cast<unsigned>(source)), true, line);
    }

    template <class T> T shfl_up(T value, unsigned delta, int line = __builtin_LINE()) const
    {
        const unsigned rank = thread_rank();
        return accrs::emulation::shuffle(lanes_, value, lane_of(rank - delta), rank >= delta, line);
    }

    template <class T> T shfl_down(T value, unsigned delta, int line = __builtin_LINE()) const
    {
        const unsigned rank = thread_rank();
        return accrs::emulation::shuffle(lanes_, value, lane_of(rank + delta), rank + delta < size_, line);
    }

    int any(int predicate, int line = __builtin_LINE()) const { return __any_sync(lanes_, predicate, line); }
    int all(int predicate, int line = __builtin_LINE()) const { return __all_sync(lanes_, predicate, line); }

    // A bit for each thread of the group, the first one's last.
    unsigned ballot(int predicate, int line = __builtin_LINE()) const
    {
        return of_ranks(__ballot_sync(lanes_, predicate, line));
    }

    template <class T> unsigned match_any(T value, int line = __builtin_LINE()) const
    {
        return of_ranks(__match_any_sync(lanes_, value, line));
    }

    template <class T, class Combine> T combine(T value, Combine combine, int line) const
    {
        return accrs::emulation::combine(lanes_, value, combine, line);
    }

protected:
    // The lane of a thread by its number in the group.
    unsigned lane_of(unsigned rank) const
    {
        unsigned lanes = lanes_;
        for (rank %= size_; rank != 0; --rank)
            lanes &= lanes - 1;
        return static_cast<unsigned>(__builtin_ctz(lanes));
    }

    unsigned of_ranks(unsigned votes) const
    {
        unsigned packed = 0, rank = 0;
        for (unsigned lane = 0; lane < 32; ++lane)
            if ((lanes_ >> lane & 1u) != 0)
                packed |= (votes >> lane & 1u) << rank++;
        return packed;
    }
};

namespace details {

// The lanes of the tile of `size` that the thread is in.
inline unsigned tile_lanes(unsigned size)
{
    const unsigned first = accrs::emulation::lane() / size * size;
    return (size == 32 ? ~0u : (1u << size) - 1) << first;
}

} // namespace details

template <unsigned Size, class Parent = void> class thread_block_tile : public lane_group {
    static_assert(Size != 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "the emulation has tiles of 1, 2, 4, 8, 16 or 32 threads");

public:
    thread_block_tile() : lane_group(details::tile_lanes(Size), Size) {}
    template <class Other> thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile() {}

    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }

    template <class T> T shfl_xor(T value, unsigned lanes, int line = __builtin_LINE()) const
    {
        return accrs::emulation::shuffle(lanes_, value, lane_of(thread_rank() ^ lanes), (thread_rank() ^ lanes) < Size, line);
    }

    // Which of the block's tiles it is, and how many there are.
    static unsigned meta_group_rank() { return accrs::emulation::linear_thread() / Size; }
    static unsigned meta_group_size() { return (blockDim.x * blockDim.y * blockDim.z + Size - 1) / Size; }
};

template <unsigned Size, class Parent> thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return {};
}

// A size that is known when the program runs: a power of two, 32 at most.
inline thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    return parent.size() < size ? parent : thread_group(details::tile_lanes(size), size);
}

class coalesced_group : public lane_group {
public:
    explicit coalesced_group(unsigned lanes) : lane_group(lanes, static_cast<unsigned>(__builtin_popcount(lanes))) {}
};

inline coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

class grid_group {
public:
    static bool is_valid() { return true; }
    static void sync(int line = __builtin_LINE()) { accrs::emulation::grid_barrier(line); }
    static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long num_threads() { return num_blocks() * blockDim.x * blockDim.y * blockDim.z; }
    static unsigned long long size() { return num_threads(); }
    static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static dim3 dim_blocks() { return group_dim(); }
    static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }

    static unsigned long long block_rank()
    {
        return blockIdx.x + 1ull * gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
    }

    static unsigned long long thread_rank()
    {
        return block_rank() * (blockDim.x * blockDim.y * blockDim.z) + accrs::emulation::linear_thread();
    }
};

inline grid_group this_grid()
{
    return {};
}

template <class Group> void sync(const Group &group, int line = __builtin_LINE())
{
    group.sync(line);
}

template <class T> struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
    T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
    T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
    T operator()(T a, T b) const { return a ^ b; }
};

// The values of all threads in one; sums of floating point in the order of threads.
template <class Group, class T, class Combine>
T reduce(const Group &group, T value, Combine combine, int line = __builtin_LINE())
{
    return group.combine(value, combine, line);
}

} // namespace cooperative_groups
// NOLINTEND

#endif
