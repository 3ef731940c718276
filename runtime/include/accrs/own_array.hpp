// SPDX-License-Identifier: 0BSD
//
// Arrays of variable length that device functions declare: each call has its own in the heap of the
// device, as long as the block of the declaration runs.
#ifndef ACCRS_OWN_ARRAY_HPP
#define ACCRS_OWN_ARRAY_HPP

#include "cuda.hpp"
#include "heap.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace accrs {

template <class T> class OwnArray {
public:
    explicit __device__ OwnArray(std::size_t count) : memory_(allocate(count * sizeof(T))) {}
    __device__ ~OwnArray()
    {
#if ACCRS_EMULATED
        emulation::release_in_heap(memory_);
#else
        free(memory_);
#endif
    }
    OwnArray(const OwnArray &) = delete;
    OwnArray &operator=(const OwnArray &) = delete;

    __device__ T *data() const { return static_cast<T *>(memory_); }

private:
    static __device__ void *allocate(std::size_t bytes)
    {
#if ACCRS_EMULATED
        void *memory = emulation::allocate_in_heap(bytes == 0 ? 1 : bytes);
#else
        void *memory = malloc(bytes == 0 ? 1 : bytes);
#endif
        if (memory == nullptr) {
            printf("accrs: the device's heap has no room for %llu bytes; ACCRS_DEVICE_HEAP sets its megabytes\n",
                   static_cast<unsigned long long>(bytes));
#if ACCRS_EMULATED
            std::abort();
#else
            __trap();
#endif
        }
        return memory;
    }

    void *memory_;
};

} // namespace accrs

#endif
