// SPDX-License-Identifier: 0BSD
//
// A stack of its own for a thread of a block, and the switch from one to another.
#ifndef ACCRS_EMULATION_FIBER_HPP
#define ACCRS_EMULATION_FIBER_HPP

#include "kernel.hpp"

#include <cstddef>

#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(ACCRS_PORTABLE_FIBERS)
#define ACCRS_PORTABLE_FIBERS
#endif

#if defined(ACCRS_PORTABLE_FIBERS)
#include <ucontext.h>
#endif

namespace accrs::emulation {

#if defined(ACCRS_PORTABLE_FIBERS)
struct Context {
    ucontext_t registers;
};
#else
struct Context {
    void *stack_pointer = nullptr; // the registers are saved below it
};
#endif

struct Fiber {
    Context context;
    Fiber *next = nullptr; // in the one list it is in: free, ready, or waiting at a barrier
    uint3 thread{0, 0, 0}; // threadIdx while it waits
    char *stack = nullptr;
    std::size_t stack_bytes = 0;
};

// First in, first out; a fiber is in one list at a time.
struct FiberList {
    Fiber *first = nullptr;
    Fiber *last = nullptr;

    void append(Fiber *fiber)
    {
        fiber->next = nullptr;
        (first == nullptr ? first : last->next) = fiber;
        last = fiber;
    }
};

void switch_context(Context &from, Context &to);

// Makes `fiber` begin at `entry` on an empty stack when next switched to. `entry` never returns.
void prepare(Fiber &fiber, void (*entry)());

// `number` shifts the stack's start, since equal offsets in many pages share few cache sets.
Fiber *create_fiber(unsigned number);
void destroy_fiber(Fiber *fiber);

} // namespace accrs::emulation

#endif
