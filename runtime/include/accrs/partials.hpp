// SPDX-License-Identifier: 0BSD
//
// Grid-wide reductions in two stages. In the first, every block stores its result; in the second,
// one block combines those in a fixed order with the variable's incoming value, so that the same
// grid gives the same bits in every run.
//
// Of variables, the last block to store its results combines all of them, in the same kernel
// (reduce_grid), unless any order gives the same result: then each block combines its own with the
// variable, in one atomic step, and there is no second stage. Of the elements of an array, a second kernel has a block for each (store_partial,
// combine_partials): elements times blocks would keep one block for long.
#ifndef ACCRS_PARTIALS_HPP
#define ACCRS_PARTIALS_HPP

#include "launch.hpp"
#include "reduce.hpp"

#include <optional>
#include <utility>

namespace accrs {

// The place of this block's result among the partials of an element.
inline __device__ std::size_t block_index()
{
    return blockIdx.x + static_cast<std::size_t>(gridDim.x) * (blockIdx.y + static_cast<std::size_t>(gridDim.y) * blockIdx.z);
}

// What a kernel gets of the reduction of a variable.
template <class T> struct GridResult {
    T *partials; // one a block
    T *result;
    T incoming; // the variable's value before, which is in *result itself where `in_place` is set
    bool in_place;
    unsigned *ticket; // how many blocks have stored their results; 0 between launches
};

// A variable at the end of a kernel: each thread has a value of it, or the first one of a block alone.
template <class Op, class T, bool is_of_threads> struct Accumulated {
    T value;
    GridResult<T> grid;
#if ACCRS_EMULATED
    int line;
#endif

    template <class Shape, unsigned number> __device__ void store_in_warps()
    {
        store_warp<Op, Shape, number>(value ACCRS_COMMA_LINE);
    }

    template <class Shape, unsigned number> __device__ void store_of_block()
    {
        if constexpr (is_of_threads)
            value = reduce_warps<Op, Shape, T, number>();
        grid.partials[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] = value;
    }

    template <class Shape> __device__ void gather(unsigned blocks)
    {
        value = Op::template identity<T>();
        for (unsigned i = Shape::thread(); i < blocks; i += Shape::threads())
            value = Op::template apply<T>(value, grid.partials[i]);
    }

    template <class Shape, unsigned number> __device__ void store_result()
    {
        value = reduce_warps<Op, Shape, T, number>();
        *grid.result = Op::template apply<T>(grid.in_place ? *grid.result : grid.incoming, value);
    }
};

template <class Op, class T>
__device__ Accumulated<Op, T, true> of_threads(const T &value, const GridResult<T> &grid ACCRS_COMMA_LINE_PARAMETER)
{
    return {value, grid ACCRS_COMMA_LINE};
}

template <class Op, class T>
__device__ Accumulated<Op, T, false> of_block(const T &value, const GridResult<T> &grid ACCRS_COMMA_LINE_PARAMETER)
{
    return {value, grid ACCRS_COMMA_LINE};
}

// The same where the order of steps makes no difference: blocks combine their values with *result.
template <class Op, class T, bool is_of_threads> struct Combined {
    T value;
    T *result;
#if ACCRS_EMULATED
    int line;
#endif

    template <class Shape, unsigned number> __device__ void store_in_warps()
    {
        if constexpr (is_of_threads)
            store_warp<Op, Shape, number>(value ACCRS_COMMA_LINE);
    }

    template <class Shape, unsigned number> __device__ void combine()
    {
        if constexpr (is_of_threads)
            value = reduce_warps<Op, Shape, T, number>();
        combine_atomically<Op>(result, value);
    }
};

template <class Op, class T>
__device__ Combined<Op, T, true> of_threads(const T &value, T *result ACCRS_COMMA_LINE_PARAMETER)
{
    return {value, result ACCRS_COMMA_LINE};
}

template <class Op, class T>
__device__ Combined<Op, T, false> of_block(const T &value, T *result ACCRS_COMMA_LINE_PARAMETER)
{
    return {value, result ACCRS_COMMA_LINE};
}

// Counts this block and says whether it is the last. That one finds what each has stored before.
inline __device__ bool is_last_block(unsigned *ticket, unsigned blocks)
{
    __threadfence();
    const bool is_last = atomicInc(ticket, blocks - 1) == blocks - 1; // the counter is 0 again then
    if (is_last)
        __threadfence();
    return is_last;
}

template <class Shape, unsigned... number, class... Variables>
__device__ void reduce_grid_of(unsigned *ticket, std::integer_sequence<unsigned, number...>, Variables &...variables)
{
#if ACCRS_EMULATED
    int line = 0;
    ((line = variables.line), ...);
#endif
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    bool is_last = false;
    (variables.template store_in_warps<Shape, number>(), ...);
    __syncthreads(ACCRS_LINE);
    if (Shape::thread() == 0) {
        (variables.template store_of_block<Shape, number>(), ...);
        is_last = is_last_block(ticket, blocks);
    }
    if (!__syncthreads_or(is_last ACCRS_COMMA_LINE))
        return;
    (variables.template gather<Shape>(blocks), ...);
    (variables.template store_in_warps<Shape, number>(), ...);
    __syncthreads(ACCRS_LINE);
    if (Shape::thread() == 0)
        (variables.template store_result<Shape, number>(), ...);
}

template <class Shape, unsigned... number, class... Variables>
__device__ void combine_in_grid(std::integer_sequence<unsigned, number...>, Variables &...variables)
{
#if ACCRS_EMULATED
    int line = 0;
    ((line = variables.line), ...);
#endif
    (variables.template store_in_warps<Shape, number>(), ...);
    __syncthreads(ACCRS_LINE);
    if (Shape::thread() == 0)
        (variables.template combine<Shape, number>(), ...);
}

// Ends a kernel that reduces variables, all in one pass: every thread of the block must call it. The
// shape of the block may be given as for reduce_block. The results are GridResults, or pointers
// where the order of steps makes no difference.
//
//     accrs::reduce_grid<32, 8>(accrs::of_threads<accrs::Sum>(sum, sum_result),
//                               accrs::of_threads<accrs::Max>(top, top_result));
template <unsigned x = 0, unsigned y = 1, unsigned z = 1, class Op, class T, bool is_of_threads, class... More>
__device__ void reduce_grid(Accumulated<Op, T, is_of_threads> first, More... more)
{
    using Numbers = std::make_integer_sequence<unsigned, 1 + sizeof...(More)>;
    reduce_grid_of<Block<x, y, z>>(first.grid.ticket, Numbers(), first, more...);
}

template <unsigned x = 0, unsigned y = 1, unsigned z = 1, class Op, class T, bool is_of_threads, class... More>
__device__ void reduce_grid(Combined<Op, T, is_of_threads> first, More... more)
{
    using Numbers = std::make_integer_sequence<unsigned, 1 + sizeof...(More)>;
    combine_in_grid<Block<x, y, z>>(Numbers(), first, more...);
}

// Ends a kernel that reduces an array: every thread of the block must call it.
template <class Op, class T> __device__ void store_partial(T *partials, T value ACCRS_COMMA_LINE_PARAMETER)
{
    const T of_block = reduce_block<Op>(value ACCRS_COMMA_LINE);
    if (linear_thread() == 0)
        partials[block_index()] = of_block;
}

// The partials of the array's first element, of all blocks, come first.
template <class Op, class T, class A, std::size_t n>
__device__ void store_partial(T *partials, A (&array)[n] ACCRS_COMMA_LINE_PARAMETER)
{
    const std::size_t blocks = static_cast<std::size_t>(gridDim.x) * gridDim.y * gridDim.z;
    T *values = Elements<A[n]>::of(array);
    for (unsigned k = 0; k < Elements<A[n]>::count; ++k)
        store_partial<Op>(partials + k * blocks, values[k] ACCRS_COMMA_LINE);
}

// Where every thread of a block holds the block's array: the first one's counts.
template <class Op, class T, class A, std::size_t n>
__device__ void store_gang_partial(T *partials, A (&array)[n] ACCRS_COMMA_LINE_PARAMETER)
{
    if (linear_thread() != 0)
        set_identity<Op>(array);
    store_partial<Op>(partials, array ACCRS_COMMA_LINE);
}

// A block for each element: *result = Op(incoming, Op over the partials), incoming being *result
// itself where `in_place` is set.
template <class Op, class T>
__global__ void __launch_bounds__(256)
combine_partials(const T *partials, std::size_t count, T incoming, bool in_place, T *result)
{
    T value = Op::template identity<T>();
    for (std::size_t i = threadIdx.x; i < count; i += blockDim.x)
        value = Op::template apply<T>(value, partials[blockIdx.x * count + i]);
    value = reduce_block<Op, 256>(value);
    if (threadIdx.x == 0)
        result[blockIdx.x] = Op::template apply<T>(in_place ? result[blockIdx.x] : incoming, value);
}

// What a launcher declares for a variable, before the launch: the result is on the device where the
// variable is present, else on the host (at the queue's next wait if the region is async).
template <class T> class GridReduction {
public:
    GridReduction(dim3 grid, T *variable, const char *name) : scratch_(counted_blocks(grid) + 1), host_(nullptr)
    {
        void *present = nullptr;
        const bool in_place = find_device_address(variable, sizeof(T), &present, name);
        if (!in_place)
            host_ = variable;
        T *slot = scratch_.data() + counted_blocks(grid);
        result_ = {scratch_.data(), in_place ? static_cast<T *>(present) : slot, in_place ? T() : *variable, in_place, ticket()};
    }

    // For the kernel.
    const GridResult<T> &of_kernel() const { return result_; }

    // After the launch.
    void finish()
    {
        if (host_ != nullptr)
            copy_result(host_, result_.result, sizeof(T));
    }

private:
    Scratch<T> scratch_;
    T *host_;
    GridResult<T> result_;
};

// The same for blocks that combine their values with the result, which begins as the variable.
template <class T> class CombinedResult {
public:
    CombinedResult(T *variable, const char *name)
    {
        void *present = nullptr;
        if (find_device_address(variable, sizeof(T), &present, name)) {
            result_ = static_cast<T *>(present);
            return;
        }
        slot_.emplace(1);
        host_ = variable;
        result_ = slot_->data();
        copy_incoming(result_, variable, sizeof(T));
    }

    // For the kernel.
    T *of_kernel() const { return result_; }

    // After the launch.
    void finish()
    {
        if (host_ != nullptr)
            copy_result(host_, result_, sizeof(T));
    }

private:
    std::optional<Scratch<T>> slot_;
    T *host_ = nullptr;
    T *result_;
};

// What a launcher declares for an array of so many elements, or for a part of one.
template <class T> class Partials {
public:
    explicit Partials(dim3 grid, std::size_t elements = 1)
        : blocks_(static_cast<std::size_t>(grid.x) * grid.y * grid.z), elements_(elements), scratch_((blocks_ + 1) * elements)
    {
    }

    // One element a block.
    T *data() const { return scratch_.data(); }

    // Combines the partials into `variable`: on the device where it is present, else on the host
    // (at the queue's next wait if the region is async).
    template <class Op> void finish(T *variable, const char *name)
    {
        if (elements_ == 0)
            return;
        void *present = nullptr;
        if (find_device_address(variable, elements_ * sizeof(T), &present, name)) {
            combine<Op>(T(), true, static_cast<T *>(present), name);
            return;
        }
        T *slot = scratch_.data() + blocks_ * elements_;
        if (elements_ > 1)
            copy_incoming(slot, variable, elements_ * sizeof(T));
        combine<Op>(*variable, elements_ > 1, slot, name);
        copy_result(variable, slot, elements_ * sizeof(T));
    }

private:
    template <class Op> void combine(T incoming, bool in_place, T *result, const char *name)
    {
        const dim3 grid(static_cast<unsigned>(elements_));
        const dim3 block(256);
#if ACCRS_EMULATED
        emulation::launch<combine_partials<Op, T>>(grid, block, 0, stream())(data(), blocks_, incoming, in_place, result);
#else
        combine_partials<Op, T><<<grid, block, 0, stream()>>>(data(), blocks_, incoming, in_place, result);
#endif
        launched(name, grid, block, 0);
    }

    std::size_t blocks_;
    std::size_t elements_;
    Scratch<T> scratch_;
};

} // namespace accrs

#endif
