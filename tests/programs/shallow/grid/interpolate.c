#include "interpolate.h"

#include <math.h>

double interpolate(const struct grid *grid, const double *field, double x, double y)
{
    /* In cells, from the middle of the first. */
    const double column = x / grid->dx - 0.5, row = y / grid->dy - 0.5;
    const double west = floor(column), south = floor(row);
    const double along_x = column - west, along_y = row - south;
    const int at = CELL(grid->pitch, (int)west, (int)south), above = at + grid->pitch;
    const double lower = (1.0 - along_x) * field[at] + along_x * field[at + 1];
    const double upper = (1.0 - along_x) * field[above] + along_x * field[above + 1];
    return (1.0 - along_y) * lower + along_y * upper;
}
