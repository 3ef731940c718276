/* Values of fields between the middles of cells. Called on the device, from other files. */
#ifndef INTERPOLATE_H
#define INTERPOLATE_H

#include "grid.h"

/*
 * The value of a field at a point of the rectangle, given in metres: bilinear between the middles of
 * the four cells around it. One ghost on every side must be filled.
 */
#pragma acc routine seq
double interpolate(const struct grid *grid, const double *field, double x, double y);

#endif
