#include "bed.h"

#include <math.h>
#include <stddef.h>

#include "error.h"
#include "esri.h"
#include "field.h"

const char *const bed_names[] = {"flat", "slope", "bump", "basin", "steps", "file", 0};

/* The bed at a point, whose place in the rectangle is given from 0 to 1. */
static double height_at(const struct bed_shape *shape, double x, double y)
{
    const double dx = x - 0.5, dy = y - 0.5, square = dx * dx + dy * dy;
    switch (shape->kind) {
    case BED_SLOPE:
        return shape->height * x;
    case BED_BUMP:
        return square < 0.04 ? shape->height * (1.0 - square / 0.04) : 0.0;
    case BED_BASIN:
        return shape->height * 2.0 * square;
    case BED_STEPS:
        return shape->height * floor(4.0 * x) / 3.0;
    default:
        return 0.0;
    }
}

/* The nearest cell that is no ghost. */
static int inside(int index, int count)
{
    if (index < 0)
        return 0;
    return index < count ? index : count - 1;
}

void bed_fill(const struct bed_shape *shape, const struct grid *grid, double *bed)
{
    if (shape->kind == BED_FILE) {
        if (shape->path == NULL)
            error_exit("a bed from a file needs --bed-file");
        esri_read(shape->path, grid, bed);
    } else {
        for (int j = 0; j < grid->ny; j++)
            for (int i = 0; i < grid->nx; i++)
                bed[CELL(grid->pitch, i, j)] = height_at(shape, (i + 0.5) / grid->nx, (j + 0.5) / grid->ny);
    }
    /* Outside the bed goes on as it ends, so that sides see no step. */
    for (int j = -GHOSTS; j < grid->ny + GHOSTS; j++)
        for (int i = -GHOSTS; i < grid->nx + GHOSTS; i++)
            bed[CELL(grid->pitch, i, j)] = bed[CELL(grid->pitch, inside(i, grid->nx), inside(j, grid->ny))];
    field_to_device(grid, bed);
}
