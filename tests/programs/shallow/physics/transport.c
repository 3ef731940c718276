#include "transport.h"

#include "memory.h"

struct transport transport_create(const struct grid *grid, enum flux_scheme scheme)
{
    const int size = grid->size;
    struct transport transport = {.scheme = scheme};
    struct flux *x = memory_allocate((size_t)size, sizeof *x, "fluxes in x");
    struct flux *y = memory_allocate((size_t)size, sizeof *y, "fluxes in y");
    #pragma acc enter data create(x[0:size], y[0:size])
    transport.through_x = x;
    transport.through_y = y;
    return transport;
}

void transport_destroy(const struct grid *grid, struct transport *transport)
{
    const int size = grid->size;
    struct flux *x = transport->through_x, *y = transport->through_y;
    #pragma acc exit data delete(x[0:size], y[0:size])
    memory_release(x);
    memory_release(y);
}

/*
 * The fluxes through the faces between cells at - step and at. Velocity `u` goes through them, `v`
 * beside; the slopes are those along the same direction.
 */
static void fluxes(const struct grid *grid, enum flux_scheme scheme, int step, int columns, int rows,
                   const double *restrict bed, const double *restrict level, const double *restrict u,
                   const double *restrict v, const double *restrict c, const double *restrict level_slope,
                   const double *restrict u_slope, const double *restrict v_slope, const double *restrict c_slope,
                   struct flux *restrict through)
{
    const int pitch = grid->pitch, size = grid->size;
    #pragma acc parallel loop collapse(2) \
        present(bed[0:size], level[0:size], u[0:size], v[0:size], c[0:size], through[0:size]) \
        present(level_slope[0:size], u_slope[0:size], v_slope[0:size], c_slope[0:size])
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            const int high = CELL(pitch, i, j), low = high - step;
            struct side left = {.along = u[low] + 0.5 * u_slope[low],
                                .across = v[low] + 0.5 * v_slope[low],
                                .concentration = c[low] + 0.5 * c_slope[low],
                                .bed = bed[low]};
            struct side right = {.along = u[high] - 0.5 * u_slope[high],
                                 .across = v[high] - 0.5 * v_slope[high],
                                 .concentration = c[high] - 0.5 * c_slope[high],
                                 .bed = bed[high]};
            left.depth = fmax(0.0, level[low] + 0.5 * level_slope[low] - bed[low]);
            right.depth = fmax(0.0, level[high] - 0.5 * level_slope[high] - bed[high]);
            through[high] = face_flux(scheme, left, right);
        }
}

void transport_compute(const struct grid *grid, const double *bed, const struct primitive *primitive,
                       struct transport *transport, struct state *change)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double *const *sx = (const double *const *)primitive->slope_x;
    const double *const *sy = (const double *const *)primitive->slope_y;

    fluxes(grid, transport->scheme, 1, nx + 1, ny, bed, primitive->level, primitive->u, primitive->v,
           primitive->concentration, sx[0], sx[1], sx[2], sx[3], transport->through_x);
    fluxes(grid, transport->scheme, pitch, nx, ny + 1, bed, primitive->level, primitive->v, primitive->u,
           primitive->concentration, sy[0], sy[2], sy[1], sy[3], transport->through_y);

    const struct flux *restrict x = transport->through_x, *restrict y = transport->through_y;
    double *restrict h = change->depth, *restrict p = change->discharge_x, *restrict q = change->discharge_y;
    double *restrict s = change->tracer;
    const double inverse_dx = 1.0 / grid->dx, inverse_dy = 1.0 / grid->dy;
    #pragma acc parallel loop gang worker present(x[0:size], y[0:size]) \
        present(h[0:size], p[0:size], q[0:size], s[0:size])
    for (int j = 0; j < ny; j++) {
        #pragma acc loop vector
        for (int i = 0; i < nx; i++) {
            const int at = CELL(pitch, i, j);
            const struct flux west = x[at], east = x[at + 1], south = y[at], north = y[at + pitch];
            h[at] = (west.mass - east.mass) * inverse_dx + (south.mass - north.mass) * inverse_dy;
            p[at] = (west.along + west.right_pressure - east.along - east.left_pressure) * inverse_dx +
                    (south.across - north.across) * inverse_dy;
            q[at] = (west.across - east.across) * inverse_dx +
                    (south.along + south.right_pressure - north.along - north.left_pressure) * inverse_dy;
            s[at] = (west.tracer - east.tracer) * inverse_dx + (south.tracer - north.tracer) * inverse_dy;
        }
    }
}
