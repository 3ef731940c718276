/* Files of whole fields. They are written from the host's copies. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "state.h"

/* All quantities of all cells, a line each, in hexadecimal: exact, and good to compare. */
void snapshot_text(const struct grid *grid, const struct state *state, const char *path);

/* A grey image of a field, from black at `low` to white at `high`; north is up. */
void snapshot_image(const struct grid *grid, const double *field, double low, double high, const char *path);

/* Binary: sizes, time, step and all quantities with their ghosts. */
void snapshot_save(const struct grid *grid, const struct state *state, double time, int step, const char *path);
void snapshot_restore(const struct grid *grid, struct state *state, double *time, int *step, const char *path);

#endif
