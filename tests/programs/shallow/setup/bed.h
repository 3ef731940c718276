/* Shapes of the bed. */
#ifndef BED_H
#define BED_H

#include "grid.h"

enum bed_kind { BED_FLAT, BED_SLOPE, BED_BUMP, BED_BASIN, BED_STEPS, BED_FILE };

extern const char *const bed_names[];

struct bed_shape {
    enum bed_kind kind;
    /* Of the highest above the lowest point. */
    double height;
    /* With BED_FILE: an ESRI grid. */
    const char *path;
};

/* Fills a field, ghosts included, on the host and the device. */
void bed_fill(const struct bed_shape *shape, const struct grid *grid, double *bed);

#endif
