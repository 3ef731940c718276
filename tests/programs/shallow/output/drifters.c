#include "drifters.h"

#include <math.h>

#include "esri.h"
#include "interpolate.h"
#include "memory.h"

struct drifters drifters_create(const struct grid *grid, int count)
{
    struct drifters drifters = {.count = count};
    if (count == 0)
        return drifters;
    const int size = grid->size, columns = (int)ceil(sqrt((double)count)), rows = (count + columns - 1) / columns;
    double *x = memory_allocate((size_t)count, sizeof *x, "drifters");
    double *y = memory_allocate((size_t)count, sizeof *y, "drifters");
    double *way = memory_allocate((size_t)count, sizeof *way, "ways of drifters");
    int *fate = memory_allocate((size_t)count, sizeof *fate, "fates of drifters");
    int *visits = memory_allocate((size_t)size, sizeof *visits, "visits of drifters");
    for (int k = 0; k < count; k++) {
        x[k] = (k % columns + 0.5) / columns * grid->nx * grid->dx;
        y[k] = (k / columns + 0.5) / rows * grid->ny * grid->dy;
    }
    #pragma acc enter data copyin(x[0:count], y[0:count], way[0:count], fate[0:count], visits[0:size])
    drifters.x = x;
    drifters.y = y;
    drifters.way = way;
    drifters.fate = fate;
    drifters.visits = visits;
    return drifters;
}

void drifters_destroy(const struct grid *grid, struct drifters *drifters)
{
    const int count = drifters->count, size = grid->size;
    double *x = drifters->x, *y = drifters->y, *way = drifters->way;
    int *fate = drifters->fate, *visits = drifters->visits;
    if (count > 0) {
        #pragma acc exit data delete(x[0:count], y[0:count], way[0:count], fate[0:count], visits[0:size])
    }
    memory_release(x);
    memory_release(y);
    memory_release(way);
    memory_release(fate);
    memory_release(visits);
    *drifters = (struct drifters){0};
}

/* Puts a place that has passed an end of the rectangle where it belongs; whether it has left it. */
#pragma acc routine seq
static enum fate at_side(enum boundary_kind low, enum boundary_kind high, double length, double *place)
{
    if (*place >= 0.0 && *place <= length)
        return FATE_AFLOAT;
    const enum boundary_kind side = *place < 0.0 ? low : high;
    switch (side) {
    case BOUNDARY_PERIODIC:
        *place -= length * floor(*place / length);
        return FATE_AFLOAT;
    case BOUNDARY_WALL:
        *place = *place < 0.0 ? 0.0 : length;
        return FATE_AFLOAT;
    default:
        return FATE_LEFT;
    }
}

void drifters_advance(struct drifters *drifters, const struct grid *grid, const struct boundary *boundary,
                      const struct primitive *primitive, double step)
{
    const int count = drifters->count, size = grid->size;
    const struct grid here = *grid;
    const struct boundary sides = *boundary;
    const double width = grid->nx * grid->dx, height = grid->ny * grid->dy;
    const double *restrict u = primitive->u, *restrict v = primitive->v;
    double *restrict x = drifters->x, *restrict y = drifters->y, *restrict way = drifters->way;
    int *restrict fate = drifters->fate, *restrict visits = drifters->visits;

    if (count == 0)
        return;
    #pragma acc parallel loop present(x[0:count], y[0:count], way[0:count], fate[0:count], visits[0:size]) \
        present(u[0:size], v[0:size]) firstprivate(here, sides)
    for (int k = 0; k < count; k++) {
        if (fate[k] != FATE_AFLOAT)
            continue;
        /* The midpoint rule. */
        const double half_x = x[k] + 0.5 * step * interpolate(&here, u, x[k], y[k]);
        const double half_y = y[k] + 0.5 * step * interpolate(&here, v, x[k], y[k]);
        const double middle_x = fmin(fmax(half_x, 0.0), width), middle_y = fmin(fmax(half_y, 0.0), height);
        const double dx = step * interpolate(&here, u, middle_x, middle_y);
        const double dy = step * interpolate(&here, v, middle_x, middle_y);
        double new_x = x[k] + dx, new_y = y[k] + dy;
        const enum fate in_x = at_side(sides.west, sides.east, width, &new_x);
        const enum fate in_y = at_side(sides.south, sides.north, height, &new_y);
        way[k] += sqrt(dx * dx + dy * dy);
        x[k] = new_x;
        y[k] = new_y;
        if (in_x == FATE_LEFT || in_y == FATE_LEFT) {
            fate[k] = FATE_LEFT;
            continue;
        }
        const int cell = CELL(here.pitch, grid_column(&here, new_x), grid_row(&here, new_y));
        #pragma acc atomic update
        visits[cell]++;
    }
}

int drifters_afloat(const struct drifters *drifters)
{
    const int count = drifters->count;
    const int *restrict fate = drifters->fate;
    int afloat = 0;
    if (count == 0)
        return 0;
    #pragma acc parallel loop present(fate[0:count]) reduction(+:afloat)
    for (int k = 0; k < count; k++)
        afloat += fate[k] == FATE_AFLOAT;
    return afloat;
}

void drifters_write(struct drifters *drifters, double time, FILE *file)
{
    const int count = drifters->count;
    double *x = drifters->x, *y = drifters->y, *way = drifters->way;
    int *fate = drifters->fate;
    #pragma acc update self(x[0:count], y[0:count], way[0:count], fate[0:count])
    fprintf(file, "# time %.9g\n", time);
    for (int k = 0; k < count; k++)
        if (fate[k] == FATE_AFLOAT)
            fprintf(file, "%d %.12g %.12g %.12g\n", k, x[k], y[k], way[k]);
    fputc('\n', file);
}

void drifters_write_map(struct drifters *drifters, const struct grid *grid, const char *path)
{
    const int size = grid->size;
    int *visits = drifters->visits;
    double *values = memory_allocate((size_t)size, sizeof *values, "a map of visits");
    #pragma acc update self(visits[0:size])
    for (int at = 0; at < size; at++)
        values[at] = visits[at];
    esri_write(path, grid, values);
    memory_release(values);
}
