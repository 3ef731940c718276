// SPDX-License-Identifier: 0BSD
//
// The part of CUDA's runtime API that the runtime library and generated launchers use, under
// CUDA's names and with CUDA's error codes. Streams are in order and finish at once: every call
// has done its work when it returns, which CUDA allows.
#ifndef ACCRS_EMULATION_CUDA_RUNTIME_HPP
#define ACCRS_EMULATION_CUDA_RUNTIME_HPP

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
#define CUDART_CB
#define __align__(bytes) __attribute__((aligned(bytes)))

// A block runs on one OS thread from beginning to end, so what the block shares is what the OS
// thread has for itself.
#define __shared__ static thread_local
#define __constant__
#define __managed__

// NOLINTBEGIN: CUDA's names
struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorNotSupported = 801
};

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

enum cudaMemoryType { cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost = 1, cudaMemoryTypeDevice = 2, cudaMemoryTypeManaged = 3 };

struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer;
    void *hostPointer;
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

struct cudaFuncAttributes {
    std::size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMemoryPoolsSupported = 115
};

struct cudaDeviceProp {
    char name[256];
    std::size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    int regsPerMultiprocessor, concurrentKernels, asyncEngineCount, managedMemory, unifiedAddressing, l2CacheSize;
};

namespace accrs::emulation {
constexpr int most_devices = 64;
struct Stream;
struct Event;
struct MemoryPool;
} // namespace accrs::emulation

typedef accrs::emulation::Stream *cudaStream_t;
typedef accrs::emulation::Event *cudaEvent_t;
typedef accrs::emulation::MemoryPool *cudaMemPool_t;
typedef struct cudaArray *cudaArray_t; // there are none

struct cudaPitchedPtr {
    void *ptr;
    std::size_t pitch, xsize, ysize;
};

struct cudaExtent {
    std::size_t width, height, depth;
};

struct cudaPos {
    std::size_t x, y, z;
};

struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};

inline cudaPitchedPtr make_cudaPitchedPtr(void *pointer, std::size_t pitch, std::size_t width, std::size_t height)
{
    return {pointer, pitch, width, height};
}

inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth)
{
    return {width, height, depth};
}

inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z)
{
    return {x, y, z};
}

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2 };
enum cudaFuncCache { cudaFuncCachePreferNone = 0, cudaFuncCachePreferShared = 1, cudaFuncCachePreferL1 = 2, cudaFuncCachePreferEqual = 3 };
enum cudaLimit { cudaLimitStackSize = 0, cudaLimitPrintfFifoSize = 1, cudaLimitMallocHeapSize = 2 };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
cudaError_t cudaDeviceReset();
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);

cudaError_t cudaMalloc(void **device, std::size_t bytes);
cudaError_t cudaFree(void *device);
cudaError_t cudaMallocAsync(void **device, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *device, cudaStream_t stream);
cudaError_t cudaMallocPitch(void **device, std::size_t *pitch, std::size_t width, std::size_t height);
// Memory of the device, which the host may use as well here.
cudaError_t cudaMallocManaged(void **managed, std::size_t bytes, unsigned flags = 1);
cudaError_t cudaMallocHost(void **host, std::size_t bytes);
cudaError_t cudaHostAlloc(void **host, std::size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *host);
cudaError_t cudaMemGetInfo(std::size_t *free, std::size_t *total);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DAsync(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                              std::size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                         std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters);
cudaError_t cudaMemset(void *device, int value, std::size_t bytes);
cudaError_t cudaMemsetAsync(void *device, int value, std::size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
// The host's function is called at once: what it waits for has been done.
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *argument);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);

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
                           std::size_t offset, cudaMemcpyKind kind);
cudaError_t copy_from_symbol(void *to, const void *symbol, std::size_t size, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind);
[[maybe_unused]] static const char this_file = 0;
} // namespace accrs::emulation

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, std::size_t bytes, std::size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    void *const address = const_cast<void *>(static_cast<const volatile void *>(&symbol));
    return accrs::emulation::copy_to_symbol(&accrs::emulation::this_file, address, sizeof(T), from, bytes, offset, kind);
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, std::size_t bytes, std::size_t offset,
                                                  cudaMemcpyKind kind, cudaStream_t = nullptr)
{
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
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
    return cudaSuccess;
}
// NOLINTEND

#endif
