/*
 * Grids of float in the text format of the Rodinia suite: one value a line, row by row.
 *
 * Reading, writing, and the checksum that the result lines of the benchmarks carry. Everything
 * is C99 and C++; an error ends the program with a line on standard error and status `grid_fail_status`.
 */
#ifndef BENCHMARKS_GRID_H
#define BENCHMARKS_GRID_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int grid_fail_status = 1;

static inline void grid_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(grid_fail_status);
}

/* Room for `count` values; never NULL. */
static inline float *grid_allocate(size_t count)
{
    float *values = (float *)malloc(count * sizeof *values);
    if (values == NULL)
        grid_fail("no memory for %zu values", count);
    return values;
}

/* The whole of a file, with a zero byte behind it. */
static inline char *grid_read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        grid_fail("%s: %s", path, strerror(errno));
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
        grid_fail("%s: no memory to read it", path);
    if (ferror(file))
        grid_fail("%s: %s", path, strerror(errno));
    fclose(file);
    text[length] = '\0';
    return text;
}

/* Reads exactly `count` values: a file with fewer, with more or with other text is an error. */
static inline float *grid_read(const char *path, size_t count)
{
    char *text = grid_read_text(path);
    float *values = grid_allocate(count);
    const char *at = text;
    for (size_t i = 0; i < count; i++) {
        char *end;
        values[i] = strtof(at, &end);
        if (end == at)
            grid_fail("%s: %zu values expected, the value after %zu cannot be read", path, count, i);
        at = end;
    }
    if (at[strspn(at, " \t\r\n")] != '\0')
        grid_fail("%s: more than the %zu values expected", path, count);
    free(text);
    return values;
}

/* Writes `count` values with the nine digits that give each float back exactly. */
static inline void grid_write(const char *path, const float *values, size_t count)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        grid_fail("%s: %s", path, strerror(errno));
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%.9g\n", values[i]);
    if (ferror(file) || fclose(file) != 0)
        grid_fail("%s: %s", path, strerror(errno));
}

/* FNV-1a over the bits of the values in order: one bit changed anywhere changes it. */
static inline uint64_t grid_checksum(const float *values, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (int byte = 0; byte < 4; byte++) {
            hash ^= bits >> (8 * byte) & 0xff;
            hash *= UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

/* The next value in [0, 1) of a sequence that is the same on every machine (splitmix64). */
static inline float grid_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (float)(z >> 40) * 0x1p-24f;
}

#endif
