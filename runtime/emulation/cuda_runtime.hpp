// SPDX-License-Identifier: 0BSD
//
// CUDA's runtime API in C++: what C has of it, the qualifiers, and the calls that are templates.
#ifndef ACCRS_EMULATION_CUDA_RUNTIME_HPP
#define ACCRS_EMULATION_CUDA_RUNTIME_HPP

#include "cuda_runtime_api.h"
#include "watch.hpp"

#include <cstddef>

#if ACCRS_WATCHED
// Not a part of the loop over threads, whose own accesses are none of the kernel's. What kernels call
// is a part of them: GCC makes no call for the store of a structure that a function returns.
#define __global__ __attribute__((noinline, flatten))
#else
#define __global__
#endif
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))

// A block runs on one OS thread from beginning to end, so what the block shares is what the OS
// thread has for itself.
#define __shared__ static thread_local
#define __constant__
#define __managed__

// NOLINTBEGIN: CUDA's names
template <class T> cudaError_t cudaMalloc(T **device, std::size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void **>(device), bytes);
}

template <class T> cudaError_t cudaMallocManaged(T **managed, std::size_t bytes, unsigned flags = 1)
{
    return cudaMallocManaged(reinterpret_cast<void **>(managed), bytes, flags);
}

template <class T> cudaError_t cudaMallocPitch(T **device, std::size_t *pitch, std::size_t width, std::size_t height)
{
    return cudaMallocPitch(reinterpret_cast<void **>(device), pitch, width, height);
}

template <class T> cudaError_t cudaMallocAsync(T **device, std::size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync(reinterpret_cast<void **>(device), bytes, stream);
}

template <class T> cudaError_t cudaMallocHost(T **host, std::size_t bytes)
{
    return cudaMallocHost(reinterpret_cast<void **>(host), bytes);
}

template <class T> cudaError_t cudaHostAlloc(T **host, std::size_t bytes, unsigned flags)
{
    return cudaHostAlloc(reinterpret_cast<void **>(host), bytes, flags);
}

// Caches are not imitated.
template <class T> cudaError_t cudaFuncSetCacheConfig(T *, cudaFuncCache)
{
    return cudaSuccess;
}

template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel)
{
    return cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}

template <class T> cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, std::size_t dynamic_shared);

// Of threads, blocks and shared memory of a multiprocessor alone: registers are not known here.
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel, int threads, std::size_t dynamic_shared = 0)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, reinterpret_cast<const void *>(kernel), threads, dynamic_shared);
}

// Every kernel may use whole blocks here, so occupancy does not limit the choice.
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, Kernel *, std::size_t = 0, int limit = 0)
{
    const cudaError_t status = cudaDeviceGetAttribute(grid, cudaDevAttrMultiProcessorCount, 0);
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    return status;
}

// Constant and device variables are plain globals of the kernel file. Those that are copied to are
// taken to be constant ones: a file has 64 KB of these. One and the same for all devices.
namespace accrs::emulation {
// The other side of a copy must be where `kind` says; `bytes` from `offset` on must lie within the
// symbol's `size`. Files are told apart by `file`.
cudaError_t copy_to_symbol(const void *file, void *symbol, std::size_t size, const void *from, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool waits);
cudaError_t copy_from_symbol(void *to, const void *symbol, std::size_t size, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind);
cudaError_t no_symbol();
// A copy to the device of what the caller may change as soon as it returns: CUDA has taken all that is not
// page-locked by then.
cudaError_t copy_taken(void *to, const void *from, std::size_t bytes, cudaStream_t stream);
// What a kernel is called, for what is known of it by its name.
void name_kernel(const void *kernel, const char *name);
template <class Kernel> Kernel *named(Kernel *kernel, const char *name)
{
    name_kernel(reinterpret_cast<const void *>(kernel), name);
    return kernel;
}
// A variable counts as memory of the device from then on.
void add_symbol(const void *symbol, std::size_t bytes);
[[maybe_unused]] static const char this_file = 0;
} // namespace accrs::emulation

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, std::size_t bytes, std::size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    void *const address = const_cast<void *>(static_cast<const volatile void *>(&symbol));
    return accrs::emulation::copy_to_symbol(&accrs::emulation::this_file, address, sizeof(T), from, bytes, offset, kind,
                                            nullptr, true);
}

// The name of a symbol, which CUDA took before version 5: such a call still compiles, and fails.
template <std::size_t length>
[[deprecated("CUDA takes no names of symbols any more: leave the quotes out")]]
static inline cudaError_t cudaMemcpyToSymbol(const char (&)[length], const void *, std::size_t, std::size_t = 0,
                                             cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    return accrs::emulation::no_symbol();
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, std::size_t bytes, std::size_t offset,
                                                  cudaMemcpyKind kind, cudaStream_t stream = nullptr)
{
    void *const address = const_cast<void *>(static_cast<const volatile void *>(&symbol));
    return accrs::emulation::copy_to_symbol(&accrs::emulation::this_file, address, sizeof(T), from, bytes, offset, kind,
                                            stream, false);
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, std::size_t bytes, std::size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return accrs::emulation::copy_from_symbol(to, &symbol, sizeof(T), bytes, offset, kind);
}

template <class T> cudaError_t cudaGetSymbolAddress(void **address, T &symbol)
{
    *address = const_cast<void *>(static_cast<const volatile void *>(&symbol));
    accrs::emulation::add_symbol(*address, sizeof(T));
    return cudaSuccess;
}
// NOLINTEND

#endif
