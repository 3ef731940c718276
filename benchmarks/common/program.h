/*
 * What every benchmark needs besides its algorithm: errors, arguments, memory, made-up input, and
 * the checksum of the result line.
 *
 * Everything is C99 and C++; an error ends the program with a line on standard error and status
 * `fail_status`.
 */
#ifndef BENCHMARKS_PROGRAM_H
#define BENCHMARKS_PROGRAM_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of functions that kernels call. */
#if defined __CUDACC__
#define ON_DEVICE __host__ __device__
#elif defined _OPENACC
#define ON_DEVICE _Pragma("acc routine seq")
#else
#define ON_DEVICE
#endif

static int fail_status = 1;

static inline void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(fail_status);
}

/* An argument that must be a number from `low` to `high`; `what` says which one it is. */
static inline int number_argument(const char *text, int low, int high, const char *what)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < low || value > high)
        fail("%s: %s must be a number from %d to %d", text, what, low, high);
    return (int)value;
}

/* Room for `count` values of `size` bytes; never NULL. */
static inline void *allocate(size_t count, size_t size)
{
    void *values = count > SIZE_MAX / size ? NULL : malloc(count * size);
    if (values == NULL)
        fail("no memory for %zu values of %zu bytes", count, size);
    return values;
}

/* The next 64 bits of a sequence that is the same on every machine (splitmix64). */
static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The next value of that sequence in [0, 1). */
static inline float random_float(uint64_t *state)
{
    return (float)(random_bits(state) >> 40) * 0x1p-24f;
}

/* FNV-1a over the bytes of the values in order: one bit changed anywhere changes it. */
static inline unsigned long long checksum(const void *values, size_t count, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)values;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count * size; i++) {
        hash ^= bytes[i];
        hash *= UINT64_C(0x100000001b3);
    }
    return hash;
}

/* The whole of a file, with a zero byte behind it. */
static inline char *text_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail("%s: %s", path, strerror(errno));
    size_t length = 0, room = (size_t)1 << 20;
    char *text = (char *)malloc(room);
    while (text != NULL) {
        length += fread(text + length, 1, room - 1 - length, file);
        if (length < room - 1)
            break;
        room *= 2;
        text = (char *)realloc(text, room);
    }
    if (text == NULL)
        fail("%s: no memory to read it", path);
    if (ferror(file))
        fail("%s: %s", path, strerror(errno));
    fclose(file);
    text[length] = '\0';
    return text;
}

/* Opens a file for the values of a result. */
static inline FILE *output_open(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        fail("%s: %s", path, strerror(errno));
    return file;
}

/* Closes it; a value that could not be written is an error. */
static inline void output_close(FILE *file, const char *path)
{
    const int failed = ferror(file);
    if (fclose(file) != 0 || failed)
        fail("%s: %s", path, strerror(errno));
}

#endif
