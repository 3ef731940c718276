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

// Ends a kernel: every thread of the block must call it.
template <class Op, class T> __device__ void store_partial(T *partials, T value ACCRS_COMMA_LINE_PARAMETER)
{
    const T of_block = reduce_block<Op>(value ACCRS_COMMA_LINE);
    if (linear_thread() == 0)
        partials[blockIdx.x + static_cast<std::size_t>(gridDim.x) * (blockIdx.y + static_cast<std::size_t>(gridDim.y) * blockIdx.z)] =
            of_block;
}

// One block: *result = Op(incoming, Op over the partials), incoming being *result itself where
// `in_place` is set.
template <class Op, class T>
__global__ void __launch_bounds__(256)
combine_partials(const T *partials, std::size_t count, T incoming, bool in_place, T *result)
{
    T value = Op::template identity<T>();
    for (std::size_t i = threadIdx.x; i < count; i += blockDim.x)
        value = Op::template apply<T>(value, partials[i]);
    value = reduce_block<Op>(value);
    if (threadIdx.x == 0)
        *result = Op::template apply<T>(in_place ? *result : incoming, value);
}

void copy_result(void *host, const void *device, std::size_t bytes);

template <class T> class Partials {
public:
    explicit Partials(dim3 grid)
        : count_(static_cast<std::size_t>(grid.x) * grid.y * grid.z), scratch_(count_ + 1)
    {
    }

    // One element a block.
    T *data() const { return scratch_.data(); }

    // Combines the partials into `variable`: on the device where it is present, else on the host
    // (at the queue's next wait if the region is async).
    template <class Op> void finish(T *variable, const char *name)
    {
        void *present = nullptr;
        if (find_device_address(variable, sizeof(T), &present)) {
            combine<Op>(T(), true, static_cast<T *>(present), name);
            return;
        }
        T *slot = scratch_.data() + count_;
        combine<Op>(*variable, false, slot, name);
        copy_result(variable, slot, sizeof(T));
    }

private:
    template <class Op> void combine(T incoming, bool in_place, T *result, const char *name)
    {
        const dim3 grid(1);
        const dim3 block(256);
#if ACCRS_EMULATED
        emulation::launch<combine_partials<Op, T>>(grid, block, 0, stream())(data(), count_, incoming, in_place, result);
#else
        combine_partials<Op, T><<<grid, block, 0, stream()>>>(data(), count_, incoming, in_place, result);
#endif
        launched(name, grid, block, 0);
    }

    std::size_t count_;
    Scratch<T> scratch_;
};

} // namespace accrs

#endif
