/* SPDX-License-Identifier: 0BSD */
/* A five-point stencil with ghost tiles in shared memory; the body of the data region swaps its
 * pointers, so the region's end must use the addresses of its beginning. */
#include "accrs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void stencil_launch(int rows, int columns, float *from, float *to);

static void serial(int rows, int columns, const float *from, float *to)
{
    int r, c;
    for (r = 0; r < rows; ++r)
        for (c = 0; c < columns; ++c) {
            float up = r > 0 ? from[(r - 1) * columns + c] : 0.0f;
            float down = r + 1 < rows ? from[(r + 1) * columns + c] : 0.0f;
            float left = c > 0 ? from[r * columns + c - 1] : 0.0f;
            float right = c + 1 < columns ? from[r * columns + c + 1] : 0.0f;
            to[r * columns + c] = 0.2f * (from[r * columns + c] + up + down + left + right);
        }
}

static int run(int rows, int columns, int steps)
{
    size_t bytes = (size_t)rows * columns * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes);
    float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes);
    float *result = steps % 2 ? b : a, *swap;
    float *first = a, *second = b;
    int i, same;
    for (i = 0; i < rows * columns; ++i)
        a[i] = x[i] = (float)((i * 31) % 101);
    memset(b, 0, bytes);
    accrs_begin("stencil.c", 15, "data");
    accrs_copy("first", first, 0, bytes);
    accrs_copy("second", second, 0, bytes);
    for (i = 0; i < steps; ++i) {
        accrs_begin("stencil.c", 20, "parallel loop");
        accrs_present("first", first, 0, bytes);
        accrs_present("second", second, 0, bytes);
        stencil_launch(rows, columns, first, second);
        accrs_end();
        swap = first, first = second, second = swap;
        serial(rows, columns, x, y);
        swap = x, x = y, y = swap;
    }
    if (steps % 2)
        first = NULL; /* must not matter */
    accrs_end();
    same = memcmp(result, x, bytes) == 0;
    if (!same)
        fprintf(stderr, "%d x %d, %d steps: not the serial result\n", rows, columns, steps);
    free(a), free(b), free(x), free(y);
    return same;
}

int main(void)
{
    return run(1, 1, 1) && run(37, 53, 4) && run(128, 65, 5) && run(3, 300, 2) ? 0 : 1;
}
