/* Values on the cells of a grid, on the host and on the device. */
#ifndef FIELD_H
#define FIELD_H

#include "grid.h"

/* All zero on the host, and room on the device whose values are the host's. */
double *field_create(const struct grid *grid, const char *name);
void field_destroy(const struct grid *grid, double *field);

/* The whole field to the other side. */
void field_to_device(const struct grid *grid, double *field);
void field_to_host(const struct grid *grid, double *field);

/* Begins to bring the whole field to the host, on a queue. */
void field_fetch(const struct grid *grid, double *field, int queue);

/* The rows first to last, ghosts left and right included. */
void field_rows_to_host(const struct grid *grid, double *field, int first, int last);

/* On the device: to = from, ghosts included. */
void field_copy(const struct grid *grid, const double *from, double *to);

/* On the device: to = a x + b y, ghosts included. */
void field_combine(const struct grid *grid, double a, const double *x, double b, const double *y, double *to);

/* On the device, over the cells that are no ghosts. */
double field_largest(const struct grid *grid, const double *field);
double field_smallest(const struct grid *grid, const double *field);
double field_sum(const struct grid *grid, const double *field);

/* On the device: the most that two fields are apart in any cell that is no ghost. */
double field_distance(const struct grid *grid, const double *a, const double *b);

#endif
