/* What the water does in the beginning. */
#ifndef SCENARIO_H
#define SCENARIO_H

#include "state.h"

enum scenario_kind {
    SCENARIO_DAM,
    SCENARIO_CIRCLE,
    SCENARIO_HUMP,
    SCENARIO_LAKE,
    SCENARIO_VORTEX,
    SCENARIO_WAVES
};

extern const char *const scenario_names[];

struct scenario {
    enum scenario_kind kind;
    /* The level of still water, and how much more it is where it is disturbed. */
    double level, amplitude;
    /* Concentration of the tracer in the disturbed part. */
    double concentration;
};

/* Fills a state on the host and brings it to the device. */
void scenario_fill(const struct scenario *scenario, const struct grid *grid, const double *bed, struct state *state);

#endif
