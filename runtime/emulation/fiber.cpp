// SPDX-License-Identifier: 0BSD
//
// The switch saves what the platform's calling convention says a function must preserve, nothing
// more: swapcontext saves the signal mask too, by a system call, and takes thirty times as long.
#include "fiber.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(ACCRS_PORTABLE_FIBERS)

#if defined(__APPLE__)
#define ACCRS_SYMBOL "_accrs_switch_stack"
#else
#define ACCRS_SYMBOL "accrs_switch_stack"
#endif

extern "C" void accrs_switch_stack(void **save, void *load);

#if defined(__x86_64__)

// rdi: where to save the old stack pointer, rsi: the new one. The floating-point control words
// are callee-saved as well.
asm(".text\n"
    ".globl " ACCRS_SYMBOL "\n" ACCRS_SYMBOL ":\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n");

#elif defined(__aarch64__)

// x0: where to save the old stack pointer, x1: the new one. d8 to d15 are callee-saved in their
// lower halves only.
asm(".text\n"
    ".balign 4\n"
    ".globl " ACCRS_SYMBOL "\n" ACCRS_SYMBOL ":\n"
    "  sub sp, sp, #160\n"
    "  stp d8, d9, [sp, #0]\n"
    "  stp d10, d11, [sp, #16]\n"
    "  stp d12, d13, [sp, #32]\n"
    "  stp d14, d15, [sp, #48]\n"
    "  stp x19, x20, [sp, #64]\n"
    "  stp x21, x22, [sp, #80]\n"
    "  stp x23, x24, [sp, #96]\n"
    "  stp x25, x26, [sp, #112]\n"
    "  stp x27, x28, [sp, #128]\n"
    "  stp x29, x30, [sp, #144]\n"
    "  mov x9, sp\n"
    "  str x9, [x0]\n"
    "  mov sp, x1\n"
    "  ldp d8, d9, [sp, #0]\n"
    "  ldp d10, d11, [sp, #16]\n"
    "  ldp d12, d13, [sp, #32]\n"
    "  ldp d14, d15, [sp, #48]\n"
    "  ldp x19, x20, [sp, #64]\n"
    "  ldp x21, x22, [sp, #80]\n"
    "  ldp x23, x24, [sp, #96]\n"
    "  ldp x25, x26, [sp, #112]\n"
    "  ldp x27, x28, [sp, #128]\n"
    "  ldp x29, x30, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n");

#endif
#endif

namespace accrs::emulation {

namespace {

constexpr std::size_t default_stack_kib = 256;

std::size_t stack_bytes()
{
    static const std::size_t bytes = [] {
        const char *text = std::getenv("ACCRS_EMULATED_STACK");
        const long kib = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
        return (kib >= 16 ? static_cast<std::size_t>(kib) : default_stack_kib) * 1024;
    }();
    return bytes;
}

std::size_t page_bytes()
{
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

} // namespace

#if defined(ACCRS_PORTABLE_FIBERS)

void switch_context(Context &from, Context &to)
{
    swapcontext(&from.registers, &to.registers);
}

void prepare(Fiber &fiber, void (*entry)())
{
    getcontext(&fiber.context.registers);
    fiber.context.registers.uc_stack.ss_sp = fiber.stack;
    fiber.context.registers.uc_stack.ss_size = fiber.stack_bytes;
    fiber.context.registers.uc_link = nullptr;
    makecontext(&fiber.context.registers, entry, 0);
}

#else

void switch_context(Context &from, Context &to)
{
    accrs_switch_stack(&from.stack_pointer, to.stack_pointer);
}

void prepare(Fiber &fiber, void (*entry)())
{
    const std::uintptr_t top = reinterpret_cast<std::uintptr_t>(fiber.stack + fiber.stack_bytes) & ~std::uintptr_t(15);
    auto *word = reinterpret_cast<std::uintptr_t *>(top);
#if defined(__x86_64__)
    // The return address above six registers; above it one word, so that at `entry` the stack is
    // as after a call.
    *--word = 0;
    *--word = reinterpret_cast<std::uintptr_t>(entry);
    for (int i = 0; i < 6; ++i)
        *--word = 0;
#else
    word -= 20;
    for (int i = 0; i < 20; ++i)
        word[i] = 0;
    word[19] = reinterpret_cast<std::uintptr_t>(entry); // x30
#endif
    fiber.context.stack_pointer = word;
}

#endif

Fiber *create_fiber(unsigned number)
{
    const std::size_t guard = page_bytes();
    const std::size_t bytes = stack_bytes();
    void *memory = mmap(nullptr, bytes + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        std::fprintf(stderr, "accrs: emulation: no memory for the stack of a thread (%zu bytes)\n", bytes);
        std::exit(1);
    }
    // May fail where the process has too many mappings; the guard is a help, not a need.
    (void)mprotect(memory, guard, PROT_NONE);
    auto *fiber = new Fiber;
    fiber->stack = static_cast<char *>(memory) + guard;
    fiber->stack_bytes = bytes - number % 61 * 192 % 4096 / 64 * 64;
    return fiber;
}

void destroy_fiber(Fiber *fiber)
{
    const std::size_t guard = page_bytes();
    munmap(fiber->stack - guard, stack_bytes() + guard);
    delete fiber;
}

} // namespace accrs::emulation
