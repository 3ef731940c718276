// SPDX-License-Identifier: 0BSD
//
// Grid-wide reductions in two stages. In the first, every block stores its result (store_partial);
// in the second, one block combines those in a fixed order with the variable's incoming value.
// There are no atomics on the way: the same grid gives the same bits in every run.
#ifndef ACCRS_PARTIALS_HPP
#define ACCRS_PARTIALS_HPP

#include "launch.hpp"
#include "reduce.hpp"

namespace accrs {

// The place of this block's result among the partials of an element.
inline __device__ std::size_t block_index()
{
    return blockIdx.x + static_cast<std::size_t>(gridDim.x) * (blockIdx.y + static_cast<std::size_t>(gridDim.y) * blockIdx.z);
}

// Ends a kernel: every thread of the block must call it.
template <class Op, class T> __device__ void store_partial(T *partials, T value ACCRS_COMMA_LINE_PARAMETER)
{
    const T of_block = reduce_block<Op>(value ACCRS_COMMA_LINE);
    if (linear_thread() == 0)
        partials[block_index()] = of_block;
}

// The same for an array: the partials of its first element, of all blocks, come first.
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
    value = reduce_block<Op>(value);
    if (threadIdx.x == 0)
        result[blockIdx.x] = Op::template apply<T>(in_place ? result[blockIdx.x] : incoming, value);
}

template <class T> class Partials {
public:
    // For a variable, or for an array of so many elements.
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
