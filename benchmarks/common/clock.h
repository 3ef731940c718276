/*
 * Wall-clock time of the benchmarks. Include it before any other header: it asks the system's
 * headers for the POSIX clock, which -std=c99 alone hides.
 */
#ifndef BENCHMARKS_CLOCK_H
#define BENCHMARKS_CLOCK_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <time.h>

#if defined __CUDACC__
#include <cuda_runtime.h>
#elif defined _OPENACC
#include <openacc.h>
#endif

/* Begins to use the device, if that is still to be done: some tenths of a second on a GPU, which are
   no part of any form's work. */
static inline void clock_ready(void)
{
    static int is_ready = 0;
    if (is_ready)
        return;
    is_ready = 1;
#if defined __CUDACC__
    cudaFree(0); /* the next call says what is wrong */
#elif defined _OPENACC
    acc_init(acc_device_default);
#endif
}

/* Seconds since some fixed point; never goes back. */
static inline double clock_seconds(void)
{
    struct timespec now;
    clock_ready();
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
