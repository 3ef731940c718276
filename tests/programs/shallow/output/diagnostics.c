#include "diagnostics.h"

#include <math.h>

#include "flux.h"

struct diagnostics diagnostics_compute(const struct grid *grid, const double *restrict bed, const struct state *state)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *restrict h = state->depth, *restrict p = state->discharge_x, *restrict q = state->discharge_y;
    const double *restrict s = state->tracer;
    double volume = 0.0, tracer = 0.0, energy = 0.0, momentum_x = 0.0, momentum_y = 0.0;
    double deepest = 0.0, fastest = 0.0;
    int wet = 0;

    #pragma acc parallel loop gang present(bed[0:size], h[0:size], p[0:size], q[0:size], s[0:size]) \
        reduction(+:volume, tracer, energy, momentum_x, momentum_y, wet) reduction(max:deepest, fastest)
    for (int j = 0; j < ny; j++) {
        #pragma acc loop vector reduction(+:volume, tracer, energy, momentum_x, momentum_y, wet) \
            reduction(max:deepest, fastest)
        for (int i = 0; i < nx; i++) {
            const int at = CELL(pitch, i, j);
            const double depth = h[at];
            volume += depth;
            tracer += s[at];
            momentum_x += p[at];
            momentum_y += q[at];
            energy += 0.5 * GRAVITY * depth * (depth + 2.0 * bed[at]);
            deepest = fmax(deepest, depth);
            if (depth >= DRY) {
                const double square = (p[at] * p[at] + q[at] * q[at]) / depth;
                energy += 0.5 * square;
                fastest = fmax(fastest, square / depth);
                wet++;
            }
        }
    }
    const double area = grid->dx * grid->dy;
    return (struct diagnostics){.volume = volume * area,
                                .tracer = tracer * area,
                                .energy = energy * area,
                                .momentum_x = momentum_x * area,
                                .momentum_y = momentum_y * area,
                                .deepest = deepest,
                                .fastest = sqrt(fastest),
                                .wet = wet};
}

void diagnostics_heading(FILE *file)
{
    fprintf(file, "%6s %12s %14s %14s %14s %10s %10s %8s\n", "step", "time", "volume", "tracer", "energy", "deepest",
            "fastest", "wet");
}

void diagnostics_print(const struct diagnostics *d, int step, double time, FILE *file)
{
    fprintf(file, "%6d %12.6g %14.8g %14.8g %14.8g %10.5g %10.5g %8d\n", step, time, d->volume, d->tracer, d->energy,
            d->deepest, d->fastest, d->wet);
}

static double part(double first, double last)
{
    return first != 0.0 ? (last - first) / first : last;
}

void diagnostics_compare(const struct diagnostics *first, const struct diagnostics *last, FILE *file)
{
    fprintf(file, "volume changed by %.1e, tracer by %.1e of what there was\n", part(first->volume, last->volume),
            part(first->tracer, last->tracer));
}
