/* Numbers that tell whether a run is sane: what is conserved, and extremes. */
#ifndef DIAGNOSTICS_H
#define DIAGNOSTICS_H

#include <stdio.h>

#include "state.h"

struct diagnostics {
    double volume;
    double tracer;
    double energy;
    double momentum_x, momentum_y;
    double deepest;
    double fastest;
    /* Cells that hold water. */
    int wet;
};

/* Computed on the device in one pass. */
struct diagnostics diagnostics_compute(const struct grid *grid, const double *bed, const struct state *state);

void diagnostics_heading(FILE *file);
void diagnostics_print(const struct diagnostics *diagnostics, int step, double time, FILE *file);

/* The lost or gained part of the volume and the tracer since the beginning. */
void diagnostics_compare(const struct diagnostics *first, const struct diagnostics *last, FILE *file);

#endif
