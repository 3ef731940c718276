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

/* The whole of a file, with a zero byte behind it. */
static inline char *grid_read_text(const char *path)
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
            fail("%s: %zu values expected, the value after %zu cannot be read", path, count, i);
        at = end;
    }
    if (at[strspn(at, " \t\r\n")] != '\0')
        fail("%s: more than the %zu values expected", path, count);
    free(text);
    return values;
}

/* Writes `count` values with the nine digits that give each float back exactly. */
static inline void grid_write(const char *path, const float *values, size_t count)
{
    FILE *file = output_open(path);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%.9g\n", values[i]);
    output_close(file, path);
}

#endif
