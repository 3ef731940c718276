// SPDX-License-Identifier: 0BSD
//
// State of the emulated device that the launch needs: limits and errors.
#ifndef ACCRS_EMULATION_EMULATED_DEVICE_HPP
#define ACCRS_EMULATION_EMULATED_DEVICE_HPP

#include "cuda_runtime.hpp"

#include <cstddef>
#include <cstdint>

namespace accrs::emulation {

// Limits that differ between architectures (CUDA C++ Programming Guide, compute capabilities).
struct Architecture {
    int major, minor;
    std::size_t shared_opt_in;    // bytes a block
    std::size_t shared_processor; // bytes a multiprocessor
    int threads_processor;
    int blocks_processor;
    int processors;
};

const Architecture &architecture();

// What a kernel may have: 48 KB, or what it was allowed by cudaFuncSetAttribute.
std::size_t allowed_dynamic_shared(const void *kernel);

// How many blocks of so many threads all multiprocessors together can hold at once, as far as
// registers and static shared memory allow.
std::uint64_t resident_blocks(unsigned threads, std::size_t dynamic_shared);

int device_count();
bool exists(int device);
// The device that a stream is of; any for the default stream, which each has.
bool is_of_current_device(cudaStream_t stream);

// Whose memory an address is in; -1 where it is in none's.
int owner_of(const void *pointer);
// What kernels on all devices may use.
void share_with_all(const void *memory, std::size_t bytes);
void share_no_more(const void *memory);
// Whether a kernel on a device may use memory of another one: managed memory, and where peer access is enabled.
bool may_use(int device, const void *pointer);
bool is_device_memory(const void *pointer);
// Whether the bytes lie within one allocation of it.
bool holds_device_memory(const void *pointer, std::size_t bytes);

void set_last_error(cudaError_t error);
// A fault within a kernel: as in CUDA, every later call of the process gives it.
void set_sticky_error(cudaError_t error);
cudaError_t sticky_error();
// What every call ends with: it gives what it failed with, and keeps it for cudaGetLastError.
cudaError_t finish(cudaError_t status);

} // namespace accrs::emulation

#endif
