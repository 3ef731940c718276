/* Level, velocity and concentration of the water: what is reconstructed at faces. */
#ifndef PRIMITIVE_H
#define PRIMITIVE_H

#include "limiter.h"
#include "state.h"

struct primitive {
    double *level;
    double *u, *v;
    double *concentration;
    /* Slopes of the four along x and along y, per cell. */
    double *slope_x[4], *slope_y[4];
};

struct primitive primitive_create(const struct grid *grid);
void primitive_destroy(const struct grid *grid, struct primitive *primitive);

/* From a state whose ghosts are filled, ghosts included. */
void primitive_compute(const struct grid *grid, const double *bed, const struct state *state,
                       struct primitive *primitive);

/* The slopes of all cells and of one ghost around them. */
void primitive_slopes(const struct grid *grid, enum limiter limiter, struct primitive *primitive);

#endif
