#include "boundary.h"

#include <math.h>

#include "error.h"

#define PI 3.14159265358979323846

const char *const boundary_names[] = {"wall", "open", "periodic", "tide", 0};

void boundary_check(const struct boundary *boundary)
{
    if ((boundary->west == BOUNDARY_PERIODIC) != (boundary->east == BOUNDARY_PERIODIC))
        error_exit("west and east must both be periodic");
    if ((boundary->south == BOUNDARY_PERIODIC) != (boundary->north == BOUNDARY_PERIODIC))
        error_exit("south and north must both be periodic");
    const int tide = boundary->west == BOUNDARY_TIDE || boundary->east == BOUNDARY_TIDE ||
                     boundary->south == BOUNDARY_TIDE || boundary->north == BOUNDARY_TIDE;
    if (tide && boundary->period <= 0.0)
        error_exit("a tide needs a period");
}

/*
 * The cell that ghost number `ghost` (0 is next to the side) takes its value from, along a line of
 * `count` cells. `far` is the side at the end of the line.
 */
#pragma acc routine seq
static int source_cell(enum boundary_kind kind, int ghost, int count, int far)
{
    switch (kind) {
    case BOUNDARY_PERIODIC:
        return far ? ghost : count - 1 - ghost;
    case BOUNDARY_WALL:
        return far ? count - 1 - ghost : ghost;
    default:
        return far ? count - 1 : 0;
    }
}

/* Both ends of every row; `sign` is what walls multiply with. */
static void fill_rows(const struct grid *grid, enum boundary_kind west, enum boundary_kind east, double sign,
                      double *restrict field)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double west_sign = west == BOUNDARY_WALL ? sign : 1.0, east_sign = east == BOUNDARY_WALL ? sign : 1.0;

    #pragma acc parallel loop present(field[0:size])
    for (int j = 0; j < ny; j++)
        for (int ghost = 0; ghost < GHOSTS; ghost++) {
            const int from_west = source_cell(west, ghost, nx, 0), from_east = source_cell(east, ghost, nx, 1);
            field[CELL(pitch, -1 - ghost, j)] = west_sign * field[CELL(pitch, from_west, j)];
            field[CELL(pitch, nx + ghost, j)] = east_sign * field[CELL(pitch, from_east, j)];
        }
}

/* Whole rows of ghosts, corners included, once the ends of the rows are filled. */
static void fill_columns(const struct grid *grid, enum boundary_kind south, enum boundary_kind north, double sign,
                         double *restrict field)
{
    const int ny = grid->ny, pitch = grid->pitch, size = grid->size;
    const double south_sign = south == BOUNDARY_WALL ? sign : 1.0, north_sign = north == BOUNDARY_WALL ? sign : 1.0;

    #pragma acc parallel loop present(field[0:size])
    for (int i = -GHOSTS; i < pitch - GHOSTS; i++)
        for (int ghost = 0; ghost < GHOSTS; ghost++) {
            const int from_south = source_cell(south, ghost, ny, 0), from_north = source_cell(north, ghost, ny, 1);
            field[CELL(pitch, i, -1 - ghost)] = south_sign * field[CELL(pitch, i, from_south)];
            field[CELL(pitch, i, ny + ghost)] = north_sign * field[CELL(pitch, i, from_north)];
        }
}

void boundary_scalar(const struct boundary *boundary, const struct grid *grid, double *field)
{
    fill_rows(grid, boundary->west, boundary->east, 1.0, field);
    fill_columns(grid, boundary->south, boundary->north, 1.0, field);
}

void boundary_vector(const struct boundary *boundary, const struct grid *grid, double *u, double *v)
{
    fill_rows(grid, boundary->west, boundary->east, -1.0, u);
    fill_columns(grid, boundary->south, boundary->north, 1.0, u);
    fill_rows(grid, boundary->west, boundary->east, 1.0, v);
    fill_columns(grid, boundary->south, boundary->north, -1.0, v);
}

/* Sets the depth of `count` by GHOSTS ghosts at a side, from the given one with the given steps. */
static void set_level(const struct grid *grid, int first, int along, int across, int count, double level,
                      const double *restrict bed, double *restrict depth)
{
    const int size = grid->size;
    #pragma acc parallel loop collapse(2) present(bed[0:size], depth[0:size])
    for (int ghost = 0; ghost < GHOSTS; ghost++)
        for (int k = 0; k < count; k++) {
            const int at = first + k * along + ghost * across;
            depth[at] = fmax(0.0, level - bed[at]);
        }
}

void boundary_tide(const struct boundary *boundary, const struct grid *grid, const double *bed, double *depth,
                   double time)
{
    const int nx = grid->nx, ny = grid->ny, pitch = grid->pitch;
    const double phase = boundary->period > 0.0 ? 2.0 * PI * time / boundary->period : 0.0;
    const double level = boundary->level + boundary->amplitude * sin(phase);
    if (boundary->west == BOUNDARY_TIDE)
        set_level(grid, CELL(pitch, -1, 0), pitch, -1, ny, level, bed, depth);
    if (boundary->east == BOUNDARY_TIDE)
        set_level(grid, CELL(pitch, nx, 0), pitch, 1, ny, level, bed, depth);
    if (boundary->south == BOUNDARY_TIDE)
        set_level(grid, CELL(pitch, 0, -1), 1, -pitch, nx, level, bed, depth);
    if (boundary->north == BOUNDARY_TIDE)
        set_level(grid, CELL(pitch, 0, ny), 1, pitch, nx, level, bed, depth);
}
