/* A profile through the rectangle from west to east: what an experiment in a flume measures. */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdio.h>

#include "state.h"

/* Fetches one row of the depth from the device and adds it to a file, a line a cell. */
void profile_write(const struct grid *grid, const double *bed, struct state *state, int row, double time, FILE *file);

/* How far east the water of a row reaches, in metres; 0 where it is dry. For the row fetched last. */
double profile_front(const struct grid *grid, const struct state *state, int row);

/* The depth along each column, averaged over y, computed on the device into `mean`. */
void profile_mean(const struct grid *grid, const struct state *state, double *mean);

#endif
