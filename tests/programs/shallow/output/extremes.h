/* What a flood map shows of every cell: the deepest and the fastest water, and when it came first. */
#ifndef EXTREMES_H
#define EXTREMES_H

#include "state.h"

struct extremes {
    double *depth, *speed;
    /* In seconds; negative where there has been no water yet. */
    double *arrival;
};

/* Water is there from this depth on, in metres. */
#define WET_FEET 1e-3

struct extremes extremes_create(const struct grid *grid);
void extremes_destroy(const struct grid *grid, struct extremes *extremes);

/* Takes a state into account, on the device. */
void extremes_record(struct extremes *extremes, const struct grid *grid, const struct state *state, double time);

/* The part of all cells that water has ever come to, computed on the device. */
double extremes_flooded(const struct extremes *extremes, const struct grid *grid);

/* Three ESRI grids: STEM.depth, STEM.speed and STEM.arrival. */
void extremes_write(struct extremes *extremes, const struct grid *grid, const char *stem);

#endif
