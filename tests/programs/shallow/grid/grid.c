#include "grid.h"

#include <math.h>

#include "error.h"

struct grid grid_create(int nx, int ny, double length_x, double length_y)
{
    if (nx < GHOSTS || ny < GHOSTS)
        error_exit("a grid needs at least %d cells a side", GHOSTS);
    struct grid grid = {.nx = nx, .ny = ny};
    grid.pitch = nx + 2 * GHOSTS;
    grid.size = grid.pitch * (ny + 2 * GHOSTS);
    grid.dx = length_x / nx;
    grid.dy = length_y / ny;
    return grid;
}

double grid_x(const struct grid *grid, int i)
{
    return (i + 0.5) * grid->dx;
}

double grid_y(const struct grid *grid, int j)
{
    return (j + 0.5) * grid->dy;
}

static int clamp(int value, int count)
{
    if (value < 0)
        return 0;
    return value < count ? value : count - 1;
}

int grid_column(const struct grid *grid, double x)
{
    return clamp((int)floor(x / grid->dx), grid->nx);
}

int grid_row(const struct grid *grid, double y)
{
    return clamp((int)floor(y / grid->dy), grid->ny);
}
