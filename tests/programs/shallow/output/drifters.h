/*
 * Drifters: points that the water carries along, like floats that are let out in an experiment. They
 * live on the device and come to the host when they are written.
 */
#ifndef DRIFTERS_H
#define DRIFTERS_H

#include <stdio.h>

#include "boundary.h"
#include "primitive.h"

/* What has become of a drifter. */
enum fate { FATE_AFLOAT, FATE_LEFT };

struct drifters {
    int count;
    /* Where they are and how far they have come, in metres. */
    double *x, *y;
    double *way;
    int *fate;
    /* How many steps ended with a drifter in a cell, for each cell. */
    int *visits;
};

/* Lets drifters out in rows all over the rectangle. */
struct drifters drifters_create(const struct grid *grid, int count);
void drifters_destroy(const struct grid *grid, struct drifters *drifters);

/* Moves them by the velocities of the water; through a side that is no wall they leave. */
void drifters_advance(struct drifters *drifters, const struct grid *grid, const struct boundary *boundary,
                      const struct primitive *primitive, double step);

/* How many are afloat, counted on the device. */
int drifters_afloat(const struct drifters *drifters);

/* Adds a line for each that is afloat: its number, its place, and the way behind it. */
void drifters_write(struct drifters *drifters, double time, FILE *file);

/* The visits of all cells as an ESRI grid. */
void drifters_write_map(struct drifters *drifters, const struct grid *grid, const char *path);

#endif
