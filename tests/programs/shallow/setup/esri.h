/* Grids of heights in ESRI's text format: a heading of six lines, then rows from north to south. */
#ifndef ESRI_H
#define ESRI_H

#include "grid.h"

/* Reads a file of any size; each cell of the grid has the value of the nearest one of the file. */
void esri_read(const char *path, const struct grid *grid, double *field);

void esri_write(const char *path, const struct grid *grid, const double *field);

#endif
