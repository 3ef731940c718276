/* What acts on the water besides its own flow. */
#ifndef SOURCES_H
#define SOURCES_H

#include "primitive.h"
#include "state.h"

struct sources {
    /* Manning's coefficient of the bed, in s / m^(1/3). */
    double roughness;
    /* Coriolis's parameter in the middle, and how it grows northwards. */
    double coriolis, beta;
    /* Velocity of the wind, and the drag it has on the water. */
    double wind_x, wind_y, drag;
    /* Rain less what seeps away, in m/s, over a circle. */
    double rain, rain_x, rain_y, rain_radius;
    /* Eddy viscosity of the flow and the tracer, in m^2/s. */
    double viscosity;
    /* How fast the tracer decays, per second. */
    double decay;
};

/* Adds to `change` what depends on the state smoothly: Coriolis, wind, rain, decay. */
void sources_add(const struct sources *sources, const struct grid *grid, const struct state *state,
                 const struct primitive *primitive, struct state *change);

/* Adds what mixes neighbouring cells. */
void sources_mix(const struct sources *sources, const struct grid *grid, const struct state *state,
                 const struct primitive *primitive, struct state *change);

/* Slows the flow by the friction of the bed over a step, implicitly: it never turns round. */
void sources_friction(const struct sources *sources, const struct grid *grid, struct state *state, double step);

#endif
