#include "scenario.h"

#include <math.h>

#include "flux.h"

#define PI 3.14159265358979323846

const char *const scenario_names[] = {"dam", "circle", "hump", "lake", "vortex", "waves", 0};

/* The water at a point: its level, velocity, and the concentration it carries. */
struct water {
    double level;
    double u, v;
    double concentration;
};

/* Water behind a dam that breaks, on the left third. */
static struct water behind_dam(const struct scenario *s, double x)
{
    const int behind = x < 1.0 / 3.0;
    return (struct water){.level = s->level + (behind ? s->amplitude : 0.0),
                          .concentration = behind ? s->concentration : 0.0};
}

/* A column of water that falls. */
static struct water in_circle(const struct scenario *s, double x, double y)
{
    const double dx = x - 0.4, dy = y - 0.45;
    const int inside = dx * dx + dy * dy < 0.02;
    return (struct water){.level = s->level + (inside ? s->amplitude : 0.0),
                          .concentration = inside ? s->concentration : 0.0};
}

/* A smooth hump. */
static struct water on_hump(const struct scenario *s, double x, double y)
{
    const double dx = x - 0.5, dy = y - 0.5, shape = exp(-60.0 * (dx * dx + dy * dy));
    return (struct water){.level = s->level + s->amplitude * shape, .concentration = s->concentration * shape};
}

/* A vortex in balance with its slope. */
static struct water in_vortex(const struct scenario *s, double x, double y)
{
    const double dx = x - 0.5, dy = y - 0.5, square = 40.0 * (dx * dx + dy * dy);
    const double strength = sqrt(2.0 * GRAVITY * fabs(s->amplitude)) * exp(-0.5 * square);
    return (struct water){.level = s->level - s->amplitude * exp(-square),
                          .u = -strength * dy * 6.0,
                          .v = strength * dx * 6.0,
                          .concentration = dy > 0.0 ? s->concentration : 0.0};
}

/* Waves in both directions. */
static struct water under_waves(const struct scenario *s, double x, double y)
{
    const double height = s->amplitude * cos(4.0 * PI * x) * cos(2.0 * PI * y);
    return (struct water){.level = s->level + height, .concentration = 0.5 * s->concentration * (1.0 + cos(2.0 * PI * x))};
}

static struct water water_at(const struct scenario *s, double x, double y)
{
    switch (s->kind) {
    case SCENARIO_DAM:
        return behind_dam(s, x);
    case SCENARIO_CIRCLE:
        return in_circle(s, x, y);
    case SCENARIO_HUMP:
        return on_hump(s, x, y);
    case SCENARIO_VORTEX:
        return in_vortex(s, x, y);
    case SCENARIO_WAVES:
        return under_waves(s, x, y);
    default:
        return (struct water){.level = s->level, .concentration = s->concentration};
    }
}

void scenario_fill(const struct scenario *scenario, const struct grid *grid, const double *bed, struct state *state)
{
    for (int j = 0; j < grid->ny; j++)
        for (int i = 0; i < grid->nx; i++) {
            const int at = CELL(grid->pitch, i, j);
            const struct water water = water_at(scenario, (i + 0.5) / grid->nx, (j + 0.5) / grid->ny);
            const double depth = water.level > bed[at] ? water.level - bed[at] : 0.0;
            state->depth[at] = depth;
            state->discharge_x[at] = depth * water.u;
            state->discharge_y[at] = depth * water.v;
            state->tracer[at] = depth * water.concentration;
        }
    state_to_device(grid, state);
}
