#include "primitive.h"

#include "field.h"

#define QUANTITIES 4

struct primitive primitive_create(const struct grid *grid)
{
    struct primitive primitive;
    primitive.level = field_create(grid, "level");
    primitive.u = field_create(grid, "velocity in x");
    primitive.v = field_create(grid, "velocity in y");
    primitive.concentration = field_create(grid, "concentration");
    for (int k = 0; k < QUANTITIES; k++) {
        primitive.slope_x[k] = field_create(grid, "slopes in x");
        primitive.slope_y[k] = field_create(grid, "slopes in y");
    }
    return primitive;
}

void primitive_destroy(const struct grid *grid, struct primitive *primitive)
{
    field_destroy(grid, primitive->level);
    field_destroy(grid, primitive->u);
    field_destroy(grid, primitive->v);
    field_destroy(grid, primitive->concentration);
    for (int k = 0; k < QUANTITIES; k++) {
        field_destroy(grid, primitive->slope_x[k]);
        field_destroy(grid, primitive->slope_y[k]);
    }
}

void primitive_compute(const struct grid *grid, const double *restrict bed, const struct state *state,
                       struct primitive *primitive)
{
    const int size = grid->size;
    const double *restrict h = state->depth, *restrict p = state->discharge_x, *restrict q = state->discharge_y;
    const double *restrict s = state->tracer;
    double *restrict level = primitive->level, *restrict u = primitive->u, *restrict v = primitive->v;
    double *restrict c = primitive->concentration;

    #pragma acc parallel loop present(bed[0:size], h[0:size], p[0:size], q[0:size], s[0:size]) \
        present(level[0:size], u[0:size], v[0:size], c[0:size])
    for (int at = 0; at < size; at++) {
        const int wet = h[at] >= DRY;
        const double inverse = wet ? 1.0 / h[at] : 0.0;
        level[at] = h[at] + bed[at];
        u[at] = p[at] * inverse;
        v[at] = q[at] * inverse;
        c[at] = s[at] * inverse;
    }
}

/* `step` is the distance in memory to the next cell along the direction. */
static void slopes_along(const struct grid *grid, enum limiter limiter, int step, const double *restrict value,
                         double *restrict slope)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    #pragma acc parallel loop collapse(2) present(value[0:size], slope[0:size])
    for (int j = -1; j <= ny; j++)
        for (int i = -1; i <= nx; i++) {
            const int at = CELL(pitch, i, j);
            slope[at] = limited_slope(limiter, value[at] - value[at - step], value[at + step] - value[at]);
        }
}

void primitive_slopes(const struct grid *grid, enum limiter limiter, struct primitive *primitive)
{
    const double *values[QUANTITIES] = {primitive->level, primitive->u, primitive->v, primitive->concentration};
    for (int k = 0; k < QUANTITIES; k++) {
        slopes_along(grid, limiter, 1, values[k], primitive->slope_x[k]);
        slopes_along(grid, limiter, grid->pitch, values[k], primitive->slope_y[k]);
    }
}
