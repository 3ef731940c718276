/*
 * The mesh: nx by ny cells of dx by dy, with GHOSTS cells around them on every side.
 *
 * Rows follow each other in memory; a row has `pitch` cells, ghosts included. Cell (0, 0) is the
 * first that is no ghost.
 */
#ifndef GRID_H
#define GRID_H

#define GHOSTS 2

struct grid {
    int nx, ny;
    int pitch;
    /* Cells in memory. */
    int size;
    double dx, dy;
};

struct grid grid_create(int nx, int ny, double length_x, double length_y);

/* Where a cell is in a field. */
#define CELL(pitch, i, j) (((j) + GHOSTS) * (pitch) + (i) + GHOSTS)

/* The middle of a cell. */
double grid_x(const struct grid *grid, int i);
double grid_y(const struct grid *grid, int j);

/* The cell that a point lies in, or the nearest one. Called on the device, too. */
#pragma acc routine seq
int grid_column(const struct grid *grid, double x);
#pragma acc routine seq
int grid_row(const struct grid *grid, double y);

#endif
