/*
 * The flux through a face between two cells, in the direction of its normal. Called on the device
 * for every face, hence all in this header.
 *
 * Bed steps are treated by hydrostatic reconstruction (Audusse and others, 2004), so that still
 * water over any bed stays still.
 */
#ifndef FLUX_H
#define FLUX_H

#include <math.h>

#include "state.h"

#define GRAVITY 9.81

/* One side of a face: along is the velocity through it, across the one beside. */
struct side {
    double depth;
    double along, across;
    double concentration;
    double bed;
};

/* What goes through a face, and the pressure that the bed step gives back to either side. */
struct flux {
    double mass;
    double along, across;
    double tracer;
    double left_pressure, right_pressure;
};

enum flux_scheme { FLUX_RUSANOV, FLUX_HLL };

extern const char *const flux_names[];

#pragma acc routine seq
static inline double pressure(double depth)
{
    return 0.5 * GRAVITY * depth * depth;
}

/* The side as the face sees it: no deeper than the higher bed lets it be. */
#pragma acc routine seq
static inline struct side over_step(struct side side, double step)
{
    const double depth = side.depth + side.bed - step;
    side.depth = depth > 0.0 ? depth : 0.0;
    return side;
}

#pragma acc routine seq
static inline struct flux rusanov_flux(struct side l, struct side r)
{
    const double left = fabs(l.along) + sqrt(GRAVITY * l.depth), right = fabs(r.along) + sqrt(GRAVITY * r.depth);
    const double speed = left > right ? left : right;
    const double left_mass = l.depth * l.along, right_mass = r.depth * r.along;
    struct flux flux = {0};
    flux.mass = 0.5 * (left_mass + right_mass) - 0.5 * speed * (r.depth - l.depth);
    flux.along = 0.5 * (left_mass * l.along + pressure(l.depth) + right_mass * r.along + pressure(r.depth)) -
                 0.5 * speed * (right_mass - left_mass);
    return flux;
}

#pragma acc routine seq
static inline struct flux hll_flux(struct side l, struct side r)
{
    const double left_wave = sqrt(GRAVITY * l.depth), right_wave = sqrt(GRAVITY * r.depth);
    double slow = fmin(l.along - left_wave, r.along - right_wave);
    double fast = fmax(l.along + left_wave, r.along + right_wave);
    const double left_mass = l.depth * l.along, right_mass = r.depth * r.along;
    const double left_along = left_mass * l.along + pressure(l.depth);
    const double right_along = right_mass * r.along + pressure(r.depth);
    struct flux flux = {0};

    if (l.depth < DRY && r.depth < DRY)
        return flux;
    /* The front of water that runs over dry ground is faster than either wave. */
    if (l.depth < DRY)
        slow = r.along - 2.0 * right_wave;
    if (r.depth < DRY)
        fast = l.along + 2.0 * left_wave;
    if (slow >= 0.0) {
        flux.mass = left_mass;
        flux.along = left_along;
    } else if (fast <= 0.0) {
        flux.mass = right_mass;
        flux.along = right_along;
    } else {
        const double width = 1.0 / (fast - slow);
        flux.mass = (fast * left_mass - slow * right_mass + slow * fast * (r.depth - l.depth)) * width;
        flux.along = (fast * left_along - slow * right_along + slow * fast * (right_mass - left_mass)) * width;
    }
    return flux;
}

/* What goes along with the water is that of the side which it comes from. */
#pragma acc routine seq
static inline struct flux face_flux(enum flux_scheme scheme, struct side l, struct side r)
{
    const double step = l.bed > r.bed ? l.bed : r.bed;
    const struct side left = over_step(l, step), right = over_step(r, step);
    struct flux flux = scheme == FLUX_HLL ? hll_flux(left, right) : rusanov_flux(left, right);
    const struct side from = flux.mass > 0.0 ? left : right;
    flux.across = flux.mass * from.across;
    flux.tracer = flux.mass * from.concentration;
    flux.left_pressure = pressure(l.depth) - pressure(left.depth);
    flux.right_pressure = pressure(r.depth) - pressure(right.depth);
    return flux;
}

#endif
