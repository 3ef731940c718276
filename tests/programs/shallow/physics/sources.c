#include "sources.h"

#include <math.h>

#include "flux.h"

#define AIR_DENSITY 1.2
#define WATER_DENSITY 1000.0

static void add_coriolis(const struct sources *sources, const struct grid *grid, const struct state *state,
                         struct state *change)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *restrict p = state->discharge_x, *restrict q = state->discharge_y;
    double *restrict dp = change->discharge_x, *restrict dq = change->discharge_y;
    const double middle = sources->coriolis, beta = sources->beta, dy = grid->dy;

    #pragma acc parallel loop gang present(p[0:size], q[0:size], dp[0:size], dq[0:size])
    for (int j = 0; j < ny; j++) {
        const double f = middle + beta * ((j + 0.5) - 0.5 * ny) * dy;
        #pragma acc loop vector
        for (int i = 0; i < nx; i++) {
            const int at = CELL(pitch, i, j);
            dp[at] += f * q[at];
            dq[at] -= f * p[at];
        }
    }
}

static void add_wind(const struct sources *sources, const struct grid *grid, const struct state *state,
                     struct state *change)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *restrict h = state->depth;
    double *restrict dp = change->discharge_x, *restrict dq = change->discharge_y;
    const double speed = sqrt(sources->wind_x * sources->wind_x + sources->wind_y * sources->wind_y);
    const double stress = AIR_DENSITY / WATER_DENSITY * sources->drag * speed;
    const double stress_x = stress * sources->wind_x, stress_y = stress * sources->wind_y;

    #pragma acc parallel loop collapse(2) present(h[0:size], dp[0:size], dq[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const int at = CELL(pitch, i, j);
            if (h[at] < DRY)
                continue;
            dp[at] += stress_x;
            dq[at] += stress_y;
        }
}

/* Rain falls on dry ground too; what seeps away needs water. */
static void add_rain(const struct sources *sources, const struct grid *grid, const struct state *state,
                     struct state *change)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *restrict h = state->depth;
    double *restrict dh = change->depth;
    const double rate = sources->rain, x0 = sources->rain_x, y0 = sources->rain_y;
    const double square = sources->rain_radius * sources->rain_radius, dx = grid->dx, dy = grid->dy;

    #pragma acc parallel loop collapse(2) present(h[0:size], dh[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const double x = (i + 0.5) * dx - x0, y = (j + 0.5) * dy - y0;
            const int at = CELL(pitch, i, j);
            if (x * x + y * y < square && (rate > 0.0 || h[at] >= DRY))
                dh[at] += rate;
        }
}

static void add_decay(const struct sources *sources, const struct grid *grid, const struct state *state,
                      struct state *change)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *restrict s = state->tracer;
    double *restrict ds = change->tracer;
    const double rate = sources->decay;

    #pragma acc parallel loop collapse(2) present(s[0:size], ds[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            ds[CELL(pitch, i, j)] -= rate * s[CELL(pitch, i, j)];
}

void sources_add(const struct sources *sources, const struct grid *grid, const struct state *state,
                 const struct primitive *primitive, struct state *change)
{
    if (sources->coriolis != 0.0 || sources->beta != 0.0)
        add_coriolis(sources, grid, state, change);
    if (sources->drag != 0.0)
        add_wind(sources, grid, state, change);
    if (sources->rain != 0.0)
        add_rain(sources, grid, state, change);
    if (sources->decay != 0.0)
        add_decay(sources, grid, state, change);
}

/* What flows by mixing between two cells: none where either is dry. */
#pragma acc routine seq
static double exchange(double depth, double other_depth, double value, double other_value)
{
    if (depth < DRY || other_depth < DRY)
        return 0.0;
    return 0.5 * (depth + other_depth) * (other_value - value);
}

static void mix(const struct grid *grid, double viscosity, const double *restrict h, const double *restrict value,
                double *restrict change)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double along_x = viscosity / (grid->dx * grid->dx), along_y = viscosity / (grid->dy * grid->dy);

    #pragma acc parallel loop tile(8, 32) present(h[0:size], value[0:size], change[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const int at = CELL(pitch, i, j);
            const double x = exchange(h[at], h[at - 1], value[at], value[at - 1]) +
                             exchange(h[at], h[at + 1], value[at], value[at + 1]);
            const double y = exchange(h[at], h[at - pitch], value[at], value[at - pitch]) +
                             exchange(h[at], h[at + pitch], value[at], value[at + pitch]);
            change[at] += along_x * x + along_y * y;
        }
}

void sources_mix(const struct sources *sources, const struct grid *grid, const struct state *state,
                 const struct primitive *primitive, struct state *change)
{
    if (sources->viscosity == 0.0)
        return;
    mix(grid, sources->viscosity, state->depth, primitive->u, change->discharge_x);
    mix(grid, sources->viscosity, state->depth, primitive->v, change->discharge_y);
    mix(grid, sources->viscosity, state->depth, primitive->concentration, change->tracer);
}

void sources_friction(const struct sources *sources, const struct grid *grid, struct state *state, double step)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *restrict h = state->depth;
    double *restrict p = state->discharge_x, *restrict q = state->discharge_y;
    const double factor = GRAVITY * sources->roughness * sources->roughness * step;

    if (sources->roughness == 0.0)
        return;
    #pragma acc parallel loop collapse(2) present(h[0:size], p[0:size], q[0:size])
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            const int at = CELL(pitch, i, j);
            if (h[at] < DRY)
                continue;
            const double discharge = sqrt(p[at] * p[at] + q[at] * q[at]);
            const double slow = 1.0 + factor * discharge / (h[at] * h[at] * cbrt(h[at]));
            p[at] /= slow;
            q[at] /= slow;
        }
}
