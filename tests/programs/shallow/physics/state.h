/*
 * The water: depth, discharge in both directions (depth times velocity), a dissolved tracer (depth
 * times concentration), over a bed that may move nowhere.
 */
#ifndef STATE_H
#define STATE_H

#include "boundary.h"
#include "grid.h"

/* What is conserved. */
struct state {
    double *depth;
    double *discharge_x, *discharge_y;
    double *tracer;
};

/* Shallower cells hold no moving water. */
#define DRY 1e-6

struct state state_create(const struct grid *grid);
void state_destroy(const struct grid *grid, struct state *state);

void state_to_device(const struct grid *grid, struct state *state);
void state_to_host(const struct grid *grid, struct state *state);

void state_copy(const struct grid *grid, const struct state *from, struct state *to);

/* The most that any quantity of two states is apart in any cell. */
double state_distance(const struct grid *grid, const struct state *a, const struct state *b);

/* Fills the ghosts of all quantities for a time. */
void state_boundary(const struct boundary *boundary, const struct grid *grid, const double *bed, struct state *state,
                    double time);

/* Water that rounding made negative is none, and shallow water stands still. */
void state_dry(const struct grid *grid, struct state *state);

#endif
