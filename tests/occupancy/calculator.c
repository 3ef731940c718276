/* Reads lines "arch warps shared optin registers static dynamic barriers threads" and prints for each
   how many blocks NVIDIA's occupancy calculator has on a multiprocessor; sizes in bytes. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <cuda_occupancy.h>

int main(void)
{
    int arch, warps, registers, barriers, threads;
    unsigned long shared, optin, fixed, dynamic;
    while (scanf("%d %d %lu %lu %d %lu %lu %d %d", &arch, &warps, &shared, &optin, &registers, &fixed, &dynamic, &barriers,
                 &threads) == 9) {
        struct cudaOccDeviceProp device;
        struct cudaOccFuncAttributes kernel;
        struct cudaOccDeviceState state;
        cudaOccResult result;
        memset(&device, 0, sizeof device);
        memset(&kernel, 0, sizeof kernel);
        memset(&state, 0, sizeof state);
        device.computeMajor = arch / 10;
        device.computeMinor = arch % 10;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = 32 * warps;
        device.regsPerBlock = device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 48 * 1024;
        device.sharedMemPerMultiprocessor = shared;
        device.sharedMemPerBlockOptin = optin;
        device.reservedSharedMemPerBlock = arch < 80 ? 0 : 1024;
        device.numSms = 1;
        kernel.maxThreadsPerBlock = INT_MAX;
        kernel.numRegs = registers;
        kernel.sharedSizeBytes = fixed;
        kernel.maxDynamicSharedSizeBytes = dynamic;
        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel.numBlockBarriers = barriers;
        state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
        if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, dynamic) != CUDA_OCC_SUCCESS)
            return 1;
        printf("%d\n", result.activeBlocksPerMultiprocessor);
    }
    return 0;
}
