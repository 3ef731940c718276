/* How fast the state changes because water flows through the faces of cells. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include "flux.h"
#include "primitive.h"
#include "state.h"

/* The fluxes through the faces at the lower end of cells, and room for them. */
struct transport {
    struct flux *through_x, *through_y;
    enum flux_scheme scheme;
};

struct transport transport_create(const struct grid *grid, enum flux_scheme scheme);
void transport_destroy(const struct grid *grid, struct transport *transport);

/* Sets `change` from primitive values and their slopes. */
void transport_compute(const struct grid *grid, const double *bed, const struct primitive *primitive,
                       struct transport *transport, struct state *change);

#endif
