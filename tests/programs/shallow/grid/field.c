#include "field.h"

#include <float.h>
#include <math.h>

#include "memory.h"

double *field_create(const struct grid *grid, const char *name)
{
    const int size = grid->size;
    double *field = memory_allocate((size_t)size, sizeof *field, name);
    #pragma acc enter data copyin(field[0:size])
    return field;
}

void field_destroy(const struct grid *grid, double *field)
{
    const int size = grid->size;
    #pragma acc exit data delete(field[0:size])
    memory_release(field);
}

void field_to_device(const struct grid *grid, double *field)
{
    const int size = grid->size;
    #pragma acc update device(field[0:size])
}

void field_to_host(const struct grid *grid, double *field)
{
    const int size = grid->size;
    #pragma acc update self(field[0:size])
}

void field_fetch(const struct grid *grid, double *field, int queue)
{
    const int size = grid->size;
    #pragma acc update self(field[0:size]) async(queue)
}

void field_rows_to_host(const struct grid *grid, double *field, int first, int last)
{
    const int start = (first + GHOSTS) * grid->pitch, length = (last - first + 1) * grid->pitch;
    #pragma acc update self(field[start:length])
}

void field_copy(const struct grid *grid, const double *restrict from, double *restrict to)
{
    const int size = grid->size;
    #pragma acc parallel loop present(from[0:size], to[0:size])
    for (int at = 0; at < size; at++)
        to[at] = from[at];
}

void field_combine(const struct grid *grid, double a, const double *x, double b, const double *y, double *to)
{
    const int size = grid->size;
    /* `to` may be x or y: each cell needs itself alone. */
    #pragma acc parallel loop independent present(x[0:size], y[0:size], to[0:size])
    for (int at = 0; at < size; at++)
        to[at] = a * x[at] + b * y[at];
}

double field_largest(const struct grid *grid, const double *restrict field)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    double largest = -DBL_MAX;
    #pragma acc parallel loop collapse(2) reduction(max:largest) present(field[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            largest = fmax(largest, field[CELL(pitch, i, j)]);
    return largest;
}

double field_smallest(const struct grid *grid, const double *restrict field)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    double smallest = DBL_MAX;
    #pragma acc parallel loop collapse(2) reduction(min:smallest) present(field[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            smallest = fmin(smallest, field[CELL(pitch, i, j)]);
    return smallest;
}

double field_sum(const struct grid *grid, const double *restrict field)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    double sum = 0.0;
    #pragma acc parallel loop collapse(2) reduction(+:sum) present(field[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            sum += field[CELL(pitch, i, j)];
    return sum;
}

double field_distance(const struct grid *grid, const double *restrict a, const double *restrict b)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    double distance = 0.0;
    #pragma acc parallel loop collapse(2) reduction(max:distance) present(a[0:size], b[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            distance = fmax(distance, fabs(a[CELL(pitch, i, j)] - b[CELL(pitch, i, j)]));
    return distance;
}
