/*
 * Grids of float in the text format of the Rodinia suite: one value a line, row by row.
 *
 * Everything is C99 and C++; an error ends the program as `fail` of program.h does.
 */
#ifndef BENCHMARKS_GRID_H
#define BENCHMARKS_GRID_H

#include "program.h"

/* Room for `count` values; never NULL. */
static inline float *grid_allocate(size_t count)
{
    return (float *)allocate(count, sizeof(float));
}

/* Reads exactly `count` values: a file with fewer, with more or with other text is an error. */
static inline float *grid_read(const char *path, size_t count)
{
    char *text = text_read(path);
    float *values = grid_allocate(count);
    const char *at = text;
    for (size_t i = 0; i < count; i++) {
        char *end;
        values[i] = strtof(at, &end);
        if (end == at)
            fail("%s: %zu values expected, the value after %zu cannot be read", path, count, i);
        at = end;
    }
    if (at[strspn(at, " \t\r\n")] != '\0')
        fail("%s: more than the %zu values expected", path, count);
    free(text);
    return values;
}

/* Prints `count` values with the nine digits that give each float back exactly. */
static inline void grid_print(FILE *file, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%.9g\n", values[i]);
}

/* Writes a file of them. */
static inline void grid_write(const char *path, const float *values, size_t count)
{
    FILE *file = output_open(path);
    grid_print(file, values, count);
    output_close(file, path);
}

#endif
