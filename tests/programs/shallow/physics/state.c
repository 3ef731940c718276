#include "state.h"

#include <math.h>

#include "field.h"

struct state state_create(const struct grid *grid)
{
    struct state state;
    state.depth = field_create(grid, "depth");
    state.discharge_x = field_create(grid, "discharge in x");
    state.discharge_y = field_create(grid, "discharge in y");
    state.tracer = field_create(grid, "tracer");
    return state;
}

void state_destroy(const struct grid *grid, struct state *state)
{
    field_destroy(grid, state->depth);
    field_destroy(grid, state->discharge_x);
    field_destroy(grid, state->discharge_y);
    field_destroy(grid, state->tracer);
}

void state_to_device(const struct grid *grid, struct state *state)
{
    field_to_device(grid, state->depth);
    field_to_device(grid, state->discharge_x);
    field_to_device(grid, state->discharge_y);
    field_to_device(grid, state->tracer);
}

void state_to_host(const struct grid *grid, struct state *state)
{
    field_to_host(grid, state->depth);
    field_to_host(grid, state->discharge_x);
    field_to_host(grid, state->discharge_y);
    field_to_host(grid, state->tracer);
}

void state_copy(const struct grid *grid, const struct state *from, struct state *to)
{
    field_copy(grid, from->depth, to->depth);
    field_copy(grid, from->discharge_x, to->discharge_x);
    field_copy(grid, from->discharge_y, to->discharge_y);
    field_copy(grid, from->tracer, to->tracer);
}

double state_distance(const struct grid *grid, const struct state *a, const struct state *b)
{
    const double of_depth = field_distance(grid, a->depth, b->depth);
    const double of_discharge = fmax(field_distance(grid, a->discharge_x, b->discharge_x),
                                     field_distance(grid, a->discharge_y, b->discharge_y));
    return fmax(fmax(of_depth, of_discharge), field_distance(grid, a->tracer, b->tracer));
}

void state_boundary(const struct boundary *boundary, const struct grid *grid, const double *bed, struct state *state,
                    double time)
{
    boundary_scalar(boundary, grid, state->depth);
    boundary_scalar(boundary, grid, state->tracer);
    boundary_vector(boundary, grid, state->discharge_x, state->discharge_y);
    boundary_tide(boundary, grid, bed, state->depth, time);
}

void state_dry(const struct grid *grid, struct state *state)
{
    const int size = grid->size;
    double *restrict h = state->depth, *restrict p = state->discharge_x, *restrict q = state->discharge_y;
    double *restrict c = state->tracer;

    #pragma acc parallel loop present(h[0:size], p[0:size], q[0:size], c[0:size])
    for (int at = 0; at < size; at++) {
        if (h[at] >= DRY)
            continue;
        if (h[at] < 0.0)
            h[at] = 0.0;
        p[at] = 0.0;
        q[at] = 0.0;
        if (c[at] < 0.0 || h[at] == 0.0)
            c[at] = 0.0;
    }
}
