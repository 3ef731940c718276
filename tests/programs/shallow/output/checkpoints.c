#include "checkpoints.h"

#include <stdio.h>
#include <string.h>

#include "error.h"
#include "field.h"
#include "memory.h"
#include "snapshot.h"

/* The queue that states come to the host on. */
#define QUEUE 3

struct checkpoints checkpoints_create(int every, const char *stem)
{
    struct checkpoints checkpoints = {.every = every};
    if (every == 0)
        return checkpoints;
    const size_t room = strlen(stem) + sizeof ".0";
    for (int k = 0; k < CHECKPOINT_FILES; k++) {
        checkpoints.paths[k] = memory_allocate(room, 1, "the name of a checkpoint");
        snprintf(checkpoints.paths[k], room, "%s.%d", stem, k);
    }
    return checkpoints;
}

void checkpoints_destroy(struct checkpoints *checkpoints)
{
    for (int k = 0; k < CHECKPOINT_FILES; k++)
        memory_release(checkpoints->paths[k]);
    *checkpoints = (struct checkpoints){0};
}

void checkpoints_begin(struct checkpoints *checkpoints, const struct grid *grid, struct state *state, int step)
{
    if (checkpoints->every == 0 || step % checkpoints->every != 0)
        return;
    field_fetch(grid, state->depth, QUEUE);
    field_fetch(grid, state->discharge_x, QUEUE);
    field_fetch(grid, state->discharge_y, QUEUE);
    field_fetch(grid, state->tracer, QUEUE);
    checkpoints->pending = 1;
}

void checkpoints_end(struct checkpoints *checkpoints, const struct grid *grid, const struct state *state, double time,
                     int step)
{
    if (!checkpoints->pending)
        return;
    #pragma acc wait(QUEUE)
    snapshot_save(grid, state, time, step, checkpoints->paths[checkpoints->written % CHECKPOINT_FILES]);
    checkpoints->written++;
    checkpoints->pending = 0;
}

void checkpoints_restore(const struct checkpoints *checkpoints, const struct grid *grid, struct state *state,
                         double *time, int *step)
{
    if (checkpoints->written == 0)
        error_exit("there is no checkpoint yet");
    const char *path = checkpoints->paths[(checkpoints->written - 1) % CHECKPOINT_FILES];
    snapshot_restore(grid, state, time, step, path);
    state_to_device(grid, state);
}
