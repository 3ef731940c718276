/* SPDX-License-Identifier: 0BSD
 *
 * The part of CUDA's runtime API that C has as well: with CUDA's names, error codes and linkage.
 * Streams are in order and finish at once: every call has done its work when it returns, which
 * CUDA allows. Names that today's CUDA has given up are here for programs that still use them.
 */
#ifndef ACCRS_EMULATION_CUDA_RUNTIME_API_H
#define ACCRS_EMULATION_CUDA_RUNTIME_API_H

#include <stddef.h>

/* By these, other headers see that CUDA's have been included. */
#define __CUDA_RUNTIME_H__
#define __DRIVER_TYPES_H__

#define CUDART_VERSION 13000
#define CUDART_CB

#ifdef __cplusplus
#define ACCRS_DEFAULT(value) = value
#else
#define ACCRS_DEFAULT(value)
#endif

/* NOLINTBEGIN: CUDA's names */
struct uint3 {
    unsigned x, y, z;
};

#ifdef __cplusplus
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
#else
typedef struct uint3 uint3;
typedef struct dim3 {
    unsigned x, y, z;
} dim3;
#endif

/* All that a program may name, by CUDA's numbers. */
#define ACCRS_CUDA_ERRORS(X) \
    X(InvalidValue, 1) X(MemoryAllocation, 2) X(InitializationError, 3) X(CudartUnloading, 4) \
    X(ProfilerDisabled, 5) X(ProfilerNotInitialized, 6) X(ProfilerAlreadyStarted, 7) \
    X(ProfilerAlreadyStopped, 8) X(InvalidConfiguration, 9) X(InvalidPitchValue, 12) X(InvalidSymbol, 13) \
    X(InvalidHostPointer, 16) X(InvalidDevicePointer, 17) X(InvalidTexture, 18) X(InvalidTextureBinding, 19) \
    X(InvalidChannelDescriptor, 20) X(InvalidMemcpyDirection, 21) X(AddressOfConstant, 22) \
    X(TextureFetchFailed, 23) X(TextureNotBound, 24) X(SynchronizationError, 25) X(InvalidFilterSetting, 26) \
    X(InvalidNormSetting, 27) X(MixedDeviceExecution, 28) X(NotYetImplemented, 31) \
    X(MemoryValueTooLarge, 32) X(StubLibrary, 34) X(InsufficientDriver, 35) X(CallRequiresNewerDriver, 36) \
    X(InvalidSurface, 37) X(DuplicateVariableName, 43) X(DuplicateTextureName, 44) \
    X(DuplicateSurfaceName, 45) X(DevicesUnavailable, 46) X(IncompatibleDriverContext, 49) \
    X(MissingConfiguration, 52) X(PriorLaunchFailure, 53) X(LaunchMaxDepthExceeded, 65) \
    X(LaunchFileScopedTex, 66) X(LaunchFileScopedSurf, 67) X(SyncDepthExceeded, 68) \
    X(LaunchPendingCountExceeded, 69) X(InvalidDeviceFunction, 98) X(NoDevice, 100) X(InvalidDevice, 101) \
    X(DeviceNotLicensed, 102) X(SoftwareValidityNotEstablished, 103) X(StartupFailure, 127) \
    X(InvalidKernelImage, 200) X(DeviceUninitialized, 201) X(MapBufferObjectFailed, 205) \
    X(UnmapBufferObjectFailed, 206) X(ArrayIsMapped, 207) X(AlreadyMapped, 208) \
    X(NoKernelImageForDevice, 209) X(AlreadyAcquired, 210) X(NotMapped, 211) X(NotMappedAsArray, 212) \
    X(NotMappedAsPointer, 213) X(ECCUncorrectable, 214) X(UnsupportedLimit, 215) X(DeviceAlreadyInUse, 216) \
    X(PeerAccessUnsupported, 217) X(InvalidPtx, 218) X(InvalidGraphicsContext, 219) \
    X(NvlinkUncorrectable, 220) X(JitCompilerNotFound, 221) X(UnsupportedPtxVersion, 222) \
    X(JitCompilationDisabled, 223) X(UnsupportedExecAffinity, 224) X(UnsupportedDevSideSync, 225) \
    X(Contained, 226) X(InvalidSource, 300) X(FileNotFound, 301) X(SharedObjectSymbolNotFound, 302) \
    X(SharedObjectInitFailed, 303) X(OperatingSystem, 304) X(InvalidResourceHandle, 400) \
    X(IllegalState, 401) X(LossyQuery, 402) X(SymbolNotFound, 500) X(NotReady, 600) X(IllegalAddress, 700) \
    X(LaunchOutOfResources, 701) X(LaunchTimeout, 702) X(LaunchIncompatibleTexturing, 703) \
    X(PeerAccessAlreadyEnabled, 704) X(PeerAccessNotEnabled, 705) X(SetOnActiveProcess, 708) \
    X(ContextIsDestroyed, 709) X(Assert, 710) X(TooManyPeers, 711) X(HostMemoryAlreadyRegistered, 712) \
    X(HostMemoryNotRegistered, 713) X(HardwareStackError, 714) X(IllegalInstruction, 715) \
    X(MisalignedAddress, 716) X(InvalidAddressSpace, 717) X(InvalidPc, 718) X(LaunchFailure, 719) \
    X(CooperativeLaunchTooLarge, 720) X(TensorMemoryLeak, 721) X(NotPermitted, 800) X(NotSupported, 801) \
    X(SystemNotReady, 802) X(SystemDriverMismatch, 803) X(CompatNotSupportedOnDevice, 804) \
    X(ExternalDevice, 911) X(InvalidClusterSize, 912) X(FunctionNotLoaded, 913) X(InvalidResourceType, 914) \
    X(InvalidResourceConfiguration, 915) X(Unknown, 999) X(ApiFailureBase, 10000)

#define ACCRS_CUDA_ERROR(name, number) cudaError##name = number,
typedef enum cudaError { cudaSuccess = 0, ACCRS_CUDA_ERRORS(ACCRS_CUDA_ERROR) } cudaError_t;
#undef ACCRS_CUDA_ERROR

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
} cudaMemcpyKind;

typedef enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3
} cudaComputeMode;

typedef enum cudaMemoryType { cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost = 1, cudaMemoryTypeDevice = 2, cudaMemoryTypeManaged = 3 } cudaMemoryType;

typedef struct cudaPointerAttributes cudaPointerAttributes;
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer;
    void *hostPointer;
};

typedef enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
} cudaFuncAttribute;

typedef struct cudaFuncAttributes cudaFuncAttributes;
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

typedef enum cudaDeviceAttr {
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
    cudaDevAttrPageableMemoryAccess = 88,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrMemoryPoolsSupported = 115
} cudaDeviceAttr;

typedef struct cudaDeviceProp cudaDeviceProp;
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor;
    int regsPerMultiprocessor, concurrentKernels, asyncEngineCount, managedMemory, unifiedAddressing, l2CacheSize;
    size_t memPitch, textureAlignment, texturePitchAlignment;
    int integrated, canMapHostMemory, computeMode, ECCEnabled, pciBusID, pciDeviceID, memoryBusWidth;
    int clockRate, memoryClockRate, deviceOverlap, kernelExecTimeoutEnabled; /* gone since CUDA 13 */
};

#ifdef __cplusplus
namespace accrs::emulation {
constexpr int most_devices = 64;
struct Stream;
struct Event;
struct MemoryPool;
} // namespace accrs::emulation

typedef accrs::emulation::Stream *cudaStream_t;
typedef accrs::emulation::Event *cudaEvent_t;
typedef accrs::emulation::MemoryPool *cudaMemPool_t;
#else
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
#endif
typedef struct cudaArray *cudaArray_t; /* there are none */

typedef struct cudaPitchedPtr cudaPitchedPtr;
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

typedef struct cudaExtent cudaExtent;
struct cudaExtent {
    size_t width, height, depth;
};

typedef struct cudaPos cudaPos;
struct cudaPos {
    size_t x, y, z;
};

typedef struct cudaMemcpy3DParms cudaMemcpy3DParms;
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

static inline cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width, size_t height)
{
    const cudaPitchedPtr made = {pointer, pitch, width, height};
    return made;
}

static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    const cudaExtent made = {width, height, depth};
    return made;
}

static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    const cudaPos made = {x, y, z};
    return made;
}

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2 };
typedef enum cudaFuncCache { cudaFuncCachePreferNone = 0, cudaFuncCachePreferShared = 1, cudaFuncCachePreferL1 = 2, cudaFuncCachePreferEqual = 3 } cudaFuncCache;
typedef enum cudaLimit { cudaLimitStackSize = 0, cudaLimitPrintfFifoSize = 1, cudaLimitMallocHeapSize = 2 } cudaLimit;
typedef enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 } cudaMemPoolAttr;

#ifdef __cplusplus
extern "C" {
#endif

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version);

cudaError_t cudaMalloc(void **device, size_t bytes);
cudaError_t cudaFree(void *device);
cudaError_t cudaMallocAsync(void **device, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *device, cudaStream_t stream);
cudaError_t cudaMallocPitch(void **device, size_t *pitch, size_t width, size_t height);
/* Memory of the device, which the host may use as well here. */
cudaError_t cudaMallocManaged(void **managed, size_t bytes, unsigned flags ACCRS_DEFAULT(1));
cudaError_t cudaMallocHost(void **host, size_t bytes);
cudaError_t cudaHostAlloc(void **host, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *host);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream ACCRS_DEFAULT(nullptr));
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream ACCRS_DEFAULT(nullptr));
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *parameters, cudaStream_t stream ACCRS_DEFAULT(nullptr));
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *parameters);
cudaError_t cudaMemset(void *device, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *device, int value, size_t bytes, cudaStream_t stream ACCRS_DEFAULT(nullptr));
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream ACCRS_DEFAULT(nullptr));
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
/* The host's function is called at once: what it waits for has been done. */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *argument);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags ACCRS_DEFAULT(0));
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream ACCRS_DEFAULT(nullptr));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);

/* What these were called before CUDA 4. */
static inline cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

static inline cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

#ifdef __cplusplus
} /* extern "C" */
#endif
/* NOLINTEND */

#endif
