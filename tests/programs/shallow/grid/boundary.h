/* What the ghost cells hold: one rule for each side of the rectangle. */
#ifndef BOUNDARY_H
#define BOUNDARY_H

#include "grid.h"

enum boundary_kind { BOUNDARY_WALL, BOUNDARY_OPEN, BOUNDARY_PERIODIC, BOUNDARY_TIDE };

/* Their names, NULL at the end. */
extern const char *const boundary_names[];

struct boundary {
    enum boundary_kind west, east, south, north;
    /* The level of the water outside where there is a tide: mean, amplitude, period. */
    double level, amplitude, period;
};

/* Opposite sides are both periodic or neither. */
void boundary_check(const struct boundary *boundary);

/* Fills the ghosts of a quantity that has no direction: a level, a concentration. */
void boundary_scalar(const struct boundary *boundary, const struct grid *grid, double *field);

/* Fills the ghosts of the parts of a vector, whose normal part walls turn round. */
void boundary_vector(const struct boundary *boundary, const struct grid *grid, double *u, double *v);

/* Where there is a tide, the depth of the ghosts is that of its level at the time. */
void boundary_tide(const struct boundary *boundary, const struct grid *grid, const double *bed, double *depth,
                   double time);

#endif
