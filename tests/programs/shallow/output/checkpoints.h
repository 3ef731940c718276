/*
 * Checkpoints: states from which a run that was cut off can go on. Two files take turns, so that one
 * is whole whatever happens. The state comes to the host on a queue of its own while other output of
 * the step is computed.
 */
#ifndef CHECKPOINTS_H
#define CHECKPOINTS_H

#include "state.h"

#define CHECKPOINT_FILES 2

struct checkpoints {
    /* Steps from one to the next; 0 is never. */
    int every;
    /* Their names are STEM.0 and STEM.1. */
    char *paths[CHECKPOINT_FILES];
    int written;
    /* Whether a state is on its way. */
    int pending;
};

struct checkpoints checkpoints_create(int every, const char *stem);
void checkpoints_destroy(struct checkpoints *checkpoints);

/* Begins to fetch the state, if the step asks for it. The state must not change until the end. */
void checkpoints_begin(struct checkpoints *checkpoints, const struct grid *grid, struct state *state, int step);

/* Waits for the state and writes it, if it has been begun. */
void checkpoints_end(struct checkpoints *checkpoints, const struct grid *grid, const struct state *state, double time,
                     int step);

/* Brings back the state of the last one, to the host and the device. */
void checkpoints_restore(const struct checkpoints *checkpoints, const struct grid *grid, struct state *state,
                         double *time, int *step);

#endif
