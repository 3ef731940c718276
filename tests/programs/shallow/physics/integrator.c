#include "integrator.h"

#include <float.h>
#include <math.h>

#include "error.h"
#include "field.h"
#include "timer.h"

void integrator_create(struct integrator *integrator, enum flux_scheme scheme)
{
    const struct grid *grid = integrator->grid;
    if (integrator->order < 1 || integrator->order > 3)
        error_exit("there are methods of order 1, 2 and 3");
    boundary_check(&integrator->boundary);
    integrator->primitive = primitive_create(grid);
    integrator->transport = transport_create(grid, scheme);
    integrator->stage = state_create(grid);
    integrator->change = state_create(grid);
}

void integrator_destroy(struct integrator *integrator)
{
    const struct grid *grid = integrator->grid;
    primitive_destroy(grid, &integrator->primitive);
    transport_destroy(grid, &integrator->transport);
    state_destroy(grid, &integrator->stage);
    state_destroy(grid, &integrator->change);
}

double integrator_step(struct integrator *integrator, const struct state *state)
{
    const struct grid *grid = integrator->grid;
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *restrict h = state->depth, *restrict p = state->discharge_x, *restrict q = state->discharge_y;
    const double dx = grid->dx, dy = grid->dy;
    double rate = 0.0;

    #pragma acc parallel loop collapse(2) reduction(max:rate) present(h[0:size], p[0:size], q[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const int at = CELL(pitch, i, j);
            if (h[at] < DRY)
                continue;
            const double wave = sqrt(GRAVITY * h[at]);
            const double along_x = (fabs(p[at]) / h[at] + wave) / dx, along_y = (fabs(q[at]) / h[at] + wave) / dy;
            rate = fmax(rate, fmax(along_x, along_y));
        }
    if (integrator->sources.viscosity > 0.0)
        rate = fmax(rate, 4.0 * integrator->sources.viscosity * (1.0 / (dx * dx) + 1.0 / (dy * dy)));
    return rate > 0.0 ? integrator->courant / rate : DBL_MAX;
}

/* The change of `state` per second, at a time. */
static void compute_change(struct integrator *integrator, struct state *state, double time)
{
    const struct grid *grid = integrator->grid;
    struct primitive *primitive = &integrator->primitive;
    struct state *change = &integrator->change;

    timer_begin("boundary");
    state_boundary(&integrator->boundary, grid, integrator->bed, state, time);
    timer_end("boundary");
    timer_begin("reconstruction");
    primitive_compute(grid, integrator->bed, state, primitive);
    primitive_slopes(grid, integrator->limiter, primitive);
    timer_end("reconstruction");
    timer_begin("transport");
    transport_compute(grid, integrator->bed, primitive, &integrator->transport, change);
    timer_end("transport");
    timer_begin("sources");
    sources_add(&integrator->sources, grid, state, primitive, change);
    sources_mix(&integrator->sources, grid, state, primitive, change);
    timer_end("sources");
}

static void combine(const struct grid *grid, double a, const struct state *x, double b, const struct state *y,
                    struct state *to)
{
    field_combine(grid, a, x->depth, b, y->depth, to->depth);
    field_combine(grid, a, x->discharge_x, b, y->discharge_x, to->discharge_x);
    field_combine(grid, a, x->discharge_y, b, y->discharge_y, to->discharge_y);
    field_combine(grid, a, x->tracer, b, y->tracer, to->tracer);
}

/* stage = stage + step * its change. */
static void euler(struct integrator *integrator, double time, double step)
{
    compute_change(integrator, &integrator->stage, time);
    combine(integrator->grid, 1.0, &integrator->stage, step, &integrator->change, &integrator->stage);
    state_dry(integrator->grid, &integrator->stage);
}

void integrator_advance(struct integrator *integrator, struct state *state, double time, double step)
{
    /* Weights of the state at the beginning, stage by stage (Shu and Osher, 1988). */
    static const double weights[3][3] = {{0.0}, {0.0, 0.5}, {0.0, 0.75, 1.0 / 3.0}};
    static const double times[3][3] = {{0.0}, {0.0, 1.0}, {0.0, 1.0, 0.5}};
    const struct grid *grid = integrator->grid;
    const int row = integrator->order - 1;

    state_copy(grid, state, &integrator->stage);
    for (int stage = 0; stage < integrator->order; stage++) {
        euler(integrator, time + times[row][stage] * step, step);
        const double weight = weights[row][stage];
        if (weight > 0.0)
            combine(grid, weight, state, 1.0 - weight, &integrator->stage, &integrator->stage);
    }
    state_copy(grid, &integrator->stage, state);
    timer_begin("friction");
    sources_friction(&integrator->sources, grid, state, step);
    timer_end("friction");
}
