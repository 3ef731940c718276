#include "extremes.h"

#include <math.h>
#include <stdio.h>

#include "error.h"
#include "esri.h"
#include "field.h"

#define NEVER (-1.0)

struct extremes extremes_create(const struct grid *grid)
{
    const int size = grid->size;
    struct extremes extremes = {.depth = field_create(grid, "deepest water"),
                                .speed = field_create(grid, "fastest water"),
                                .arrival = field_create(grid, "arrival of water")};
    double *restrict arrival = extremes.arrival;

    #pragma acc parallel loop present(arrival[0:size])
    for (int at = 0; at < size; at++)
        arrival[at] = NEVER;
    return extremes;
}

void extremes_destroy(const struct grid *grid, struct extremes *extremes)
{
    field_destroy(grid, extremes->depth);
    field_destroy(grid, extremes->speed);
    field_destroy(grid, extremes->arrival);
    *extremes = (struct extremes){0};
}

void extremes_record(struct extremes *extremes, const struct grid *grid, const struct state *state, double time)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *restrict h = state->depth, *restrict p = state->discharge_x, *restrict q = state->discharge_y;
    double *restrict depth = extremes->depth, *restrict speed = extremes->speed;
    double *restrict arrival = extremes->arrival;

    #pragma acc parallel loop collapse(2) present(h[0:size], p[0:size], q[0:size]) \
        present(depth[0:size], speed[0:size], arrival[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const int at = CELL(pitch, i, j);
            if (h[at] < WET_FEET)
                continue;
            depth[at] = fmax(depth[at], h[at]);
            speed[at] = fmax(speed[at], sqrt(p[at] * p[at] + q[at] * q[at]) / h[at]);
            if (arrival[at] < 0.0)
                arrival[at] = time;
        }
}

double extremes_flooded(const struct extremes *extremes, const struct grid *grid)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *restrict arrival = extremes->arrival;
    long flooded = 0;

    #pragma acc parallel loop collapse(2) present(arrival[0:size]) reduction(+:flooded)
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            flooded += arrival[CELL(pitch, i, j)] >= 0.0;
    return (double)flooded / ((double)nx * ny);
}

static void write_one(const struct grid *grid, double *field, const char *stem, const char *what)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s.%s", stem, what);
    if (length < 0 || (size_t)length >= sizeof path)
        error_exit("%s: too long a name", stem);
    field_to_host(grid, field);
    esri_write(path, grid, field);
}

void extremes_write(struct extremes *extremes, const struct grid *grid, const char *stem)
{
    write_one(grid, extremes->depth, stem, "depth");
    write_one(grid, extremes->speed, stem, "speed");
    write_one(grid, extremes->arrival, stem, "arrival");
}
