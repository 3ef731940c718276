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

/* Seconds since some fixed point; never goes back. */
static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
