// SPDX-License-Identifier: 0BSD
//
// The emulated device: properties of the chosen architecture (ACCRS_EMULATED_ARCH, sm_90 unless
// said otherwise) and errors.
#include "emulated_device.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <unistd.h>

namespace accrs::emulation {

namespace {

constexpr std::size_t KiB = 1024;

constexpr Architecture architectures[] = {
    {7, 5, 64 * KiB, 64 * KiB, 1024, 16, 40},     {8, 0, 163 * KiB, 164 * KiB, 2048, 32, 108},
    {8, 6, 99 * KiB, 100 * KiB, 1536, 16, 84},    {8, 9, 99 * KiB, 100 * KiB, 1536, 24, 128},
    {9, 0, 227 * KiB, 228 * KiB, 2048, 32, 132},  {10, 0, 227 * KiB, 228 * KiB, 2048, 32, 148},
    {12, 0, 99 * KiB, 100 * KiB, 1536, 24, 170},
};

const Architecture &choose_architecture()
{
    const char *text = std::getenv("ACCRS_EMULATED_ARCH");
    if (text == nullptr || *text == '\0')
        text = "sm_90";
    for (const Architecture &candidate : architectures) {
        char name[16];
        std::snprintf(name, sizeof name, "sm_%d%d", candidate.major, candidate.minor);
        if (std::strcmp(name, text) == 0)
            return candidate;
    }
    std::fprintf(stderr, "accrs: ACCRS_EMULATED_ARCH is '%s': expected sm_75, sm_80, sm_86, sm_89, sm_90, sm_100 or sm_120\n",
                 text);
    std::exit(1);
}

std::mutex shared_mutex;
std::map<const void *, std::size_t> &shared_opt_ins()
{
    static std::map<const void *, std::size_t> map;
    return map;
}

// How many devices there are. They share one pool of threads.
int choose_count()
{
    const char *text = std::getenv("ACCRS_EMULATED_DEVICES");
    if (text == nullptr || *text == '\0')
        return 1;
    char *end = nullptr;
    const long count = std::strtol(text, &end, 10);
    if (*end == '\0' && count >= 1 && count <= most_devices)
        return static_cast<int>(count);
    std::fprintf(stderr, "accrs: ACCRS_EMULATED_DEVICES is '%s': expected a number from 1 to %d\n", text, most_devices);
    std::exit(1);
}

thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;
std::atomic<cudaError_t> fault{cudaSuccess};

int attribute_value(cudaDeviceAttr attribute)
{
    const Architecture &arch = architecture();
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
        return 1024;
    case cudaDevAttrMaxBlockDimZ:
        return 64;
    case cudaDevAttrMaxGridDimX:
        return 0x7fffffff;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        return 48 * 1024;
    case cudaDevAttrTotalConstantMemory:
        return 64 * 1024;
    case cudaDevAttrWarpSize:
        return 32;
    case cudaDevAttrMaxRegistersPerBlock:
        return 65536;
    case cudaDevAttrMultiProcessorCount:
        return arch.processors;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        return arch.threads_processor;
    case cudaDevAttrComputeCapabilityMajor:
        return arch.major;
    case cudaDevAttrComputeCapabilityMinor:
        return arch.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        return static_cast<int>(arch.shared_processor);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        return static_cast<int>(arch.shared_opt_in);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        return arch.blocks_processor;
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrPageableMemoryAccess:
        return 1;
    }
    return -1;
}

} // namespace

int device_count()
{
    static const int count = choose_count();
    return count;
}

bool exists(int device)
{
    return device >= 0 && device < device_count();
}

const Architecture &architecture()
{
    static const Architecture &chosen = choose_architecture();
    return chosen;
}

std::size_t allowed_dynamic_shared(const void *kernel)
{
    const std::lock_guard<std::mutex> lock(shared_mutex);
    if (kernel == nullptr) { // of a template, found by its arguments: any of them may be it
        std::size_t most = 48 * KiB;
        for (const auto &opt_in : shared_opt_ins())
            most = opt_in.second > most ? opt_in.second : most;
        return most;
    }
    const auto found = shared_opt_ins().find(kernel);
    return found == shared_opt_ins().end() ? 48 * KiB : found->second;
}

// What a thread of a kernel needs where ACCRS_EMULATED_REGISTERS tells it: `name=40,other=56`.
std::map<const void *, int> &known_registers()
{
    static std::map<const void *, int> map;
    return map;
}

int registers_of(const void *kernel)
{
    const std::lock_guard<std::mutex> lock(shared_mutex);
    const auto found = known_registers().find(kernel);
    return found == known_registers().end() ? 32 : found->second;
}

void name_kernel(const void *kernel, const char *name)
{
    const char *const text = std::getenv("ACCRS_EMULATED_REGISTERS");
    const std::string all = text == nullptr ? "" : "," + std::string(text), own = "," + std::string(name) + "=";
    const std::size_t at = all.find(own);
    if (at == std::string::npos)
        return;
    const int registers = std::atoi(all.c_str() + at + own.size());
    const std::lock_guard<std::mutex> lock(shared_mutex);
    if (registers > 0 && registers <= 255)
        known_registers()[kernel] = registers;
}

// Registers go to warps in portions of 256, in each of four partitions (CUDA C++ Programming Guide, "Compute
// Capabilities").
std::uint64_t blocks_by_registers(const void *kernel, unsigned threads)
{
    const unsigned warps = (threads + 31) / 32;
    const unsigned of_warp = (static_cast<unsigned>(registers_of(kernel)) * 32 + 255) / 256 * 256;
    return of_warp * ((warps + 3) / 4 * 4) > 65536 ? 0 : 65536 / 4 / of_warp * 4 / warps;
}

std::uint64_t resident_blocks(unsigned threads, std::size_t dynamic_shared)
{
    const Architecture &arch = architecture();
    const unsigned whole_warps = (threads + 31) / 32 * 32;
    std::uint64_t blocks = static_cast<unsigned>(arch.threads_processor) / whole_warps;
    blocks = std::min<std::uint64_t>(blocks, static_cast<unsigned>(arch.blocks_processor));
    blocks = std::min<std::uint64_t>(blocks, arch.shared_processor / (dynamic_shared + KiB)); // a kibibyte is CUDA's own
    return blocks * static_cast<unsigned>(arch.processors);
}

void set_last_error(cudaError_t error)
{
    last_error = error;
}

void set_sticky_error(cudaError_t error)
{
    fault.store(error);
}

cudaError_t sticky_error()
{
    return fault.load(std::memory_order_relaxed);
}

cudaError_t finish(cudaError_t status)
{
    if (status == cudaSuccess)
        return sticky_error();
    set_last_error(status);
    return status;
}

} // namespace accrs::emulation

using namespace accrs::emulation;

const char *cudaGetErrorName(cudaError_t error)
{
#define ACCRS_CUDA_ERROR(name, number) \
    case number: return "cudaError" #name;
    switch (error) {
    case cudaSuccess: return "cudaSuccess";
        ACCRS_CUDA_ERRORS(ACCRS_CUDA_ERROR)
    }
#undef ACCRS_CUDA_ERROR
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInitializationError: return "initialization error";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInvalidSymbol: return "invalid device symbol";
    case cudaErrorInvalidMemcpyDirection: return "invalid copy direction for memcpy";
    case cudaErrorInvalidDeviceFunction: return "invalid device function";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorNotReady: return "device not ready";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorLaunchOutOfResources: return "too many resources requested for launch";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    case cudaErrorCooperativeLaunchTooLarge: return "too many blocks in cooperative launch";
    case cudaErrorNotSupported: return "operation not supported";
    default: break;
    }
    return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError()
{
    return sticky_error() != cudaSuccess ? sticky_error() : last_error;
}

cudaError_t cudaGetLastError()
{
    const cudaError_t error = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = device_count();
    return finish(cudaSuccess);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = current_device;
    return finish(cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
    if (!exists(device))
        return finish(cudaErrorInvalidDevice);
    current_device = device;
    return finish(cudaSuccess);
}

// The heap is as large as the memory.
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t)
{
    return finish(cudaSuccess);
}

cudaError_t cudaDeviceReset()
{
    return finish(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return finish(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    if (!exists(device))
        return finish(cudaErrorInvalidDevice);
    *value = attribute_value(attribute);
    return finish(*value < 0 ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    if (!exists(device))
        return finish(cudaErrorInvalidDevice);
    const Architecture &arch = architecture();
    *properties = cudaDeviceProp{};
    std::snprintf(properties->name, sizeof properties->name, "emulated sm_%d%d", arch.major, arch.minor);
    std::size_t free_bytes = 0;
    cudaMemGetInfo(&free_bytes, &properties->totalGlobalMem);
    properties->sharedMemPerBlock = 48 * KiB;
    properties->totalConstMem = 64 * KiB;
    properties->sharedMemPerMultiprocessor = arch.shared_processor;
    properties->sharedMemPerBlockOptin = arch.shared_opt_in;
    properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
    properties->maxThreadsDim[2] = 64;
    properties->maxGridSize[0] = 0x7fffffff;
    properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
    properties->major = arch.major;
    properties->minor = arch.minor;
    properties->multiProcessorCount = arch.processors;
    properties->maxThreadsPerMultiProcessor = arch.threads_processor;
    properties->maxBlocksPerMultiProcessor = arch.blocks_processor;
    properties->unifiedAddressing = 1;
    properties->canMapHostMemory = 1;
    properties->concurrentKernels = 1;
    properties->asyncEngineCount = 3;
    properties->deviceOverlap = 1;
    properties->memPitch = 0x7fffffff;
    properties->textureAlignment = 512;
    properties->texturePitchAlignment = 32;
    // Of an H100, for programs that print them.
    properties->clockRate = 1'980'000;
    properties->memoryClockRate = 2'619'000;
    properties->memoryBusWidth = 5120;
    return finish(cudaSuccess);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel)
{
    *attributes = cudaFuncAttributes{};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = registers_of(kernel);
    attributes->ptxVersion = attributes->binaryVersion = architecture().major * 10 + architecture().minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(allowed_dynamic_shared(kernel));
    return finish(cudaSuccess);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return finish(cudaSuccess); // hints
    if (value < 0 || static_cast<std::size_t>(value) > architecture().shared_opt_in)
        return finish(cudaErrorInvalidValue);
    const std::lock_guard<std::mutex> lock(shared_mutex);
    shared_opt_ins()[kernel] = static_cast<std::size_t>(value) > 48 * KiB ? static_cast<std::size_t>(value) : 48 * KiB;
    return finish(cudaSuccess);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                          std::size_t dynamic_shared)
{
    if (threads < 1)
        return finish(cudaErrorInvalidValue);
    const auto processors = static_cast<std::uint64_t>(architecture().processors);
    const std::uint64_t resident = resident_blocks(static_cast<unsigned>(threads), dynamic_shared) / processors;
    *blocks = static_cast<int>(std::min(resident, blocks_by_registers(kernel, static_cast<unsigned>(threads))));
    return finish(cudaSuccess);
}
