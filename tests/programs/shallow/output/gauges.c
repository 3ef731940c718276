#include "gauges.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "memory.h"

#define FIRST_ROOM 64

static void add(struct gauges *gauges, const struct grid *grid, double x, double y)
{
    if (gauges->count == MAX_GAUGES)
        error_exit("more than %d gauges", MAX_GAUGES);
    if (x < 0.0 || y < 0.0 || x > grid->nx * grid->dx || y > grid->ny * grid->dy)
        error_exit("the gauge at %g,%g is outside", x, y);
    const int k = gauges->count++;
    gauges->x[k] = x;
    gauges->y[k] = y;
    gauges->cell[k] = CELL(grid->pitch, grid_column(grid, x), grid_row(grid, y));
}

struct gauges gauges_create(const struct grid *grid, const char *list)
{
    struct gauges gauges = {0};
    for (const char *at = list; at != NULL && *at != '\0';) {
        char *end;
        const double x = strtod(at, &end);
        if (end == at || *end != ',')
            error_exit("gauges: X,Y expected at `%s`", at);
        at = end + 1;
        const double y = strtod(at, &end);
        if (end == at || (*end != ';' && *end != '\0'))
            error_exit("gauges: a number and ; expected at `%s`", at);
        add(&gauges, grid, x, y);
        at = *end == ';' ? end + 1 : end;
    }
    if (gauges.count == 0)
        return gauges;
    double *sample = memory_allocate((size_t)gauges.count, sizeof *sample, "samples of gauges");
    const int count = gauges.count;
    #pragma acc enter data create(sample[0:count])
    gauges.sample = sample;
    return gauges;
}

void gauges_destroy(struct gauges *gauges)
{
    double *sample = gauges->sample;
    const int count = gauges->count;
    if (count > 0) {
        #pragma acc exit data delete(sample[0:count])
    }
    memory_release(sample);
    memory_release(gauges->times);
    memory_release(gauges->levels);
    *gauges = (struct gauges){0};
}

static void *grown(void *old, int used, int room, size_t size)
{
    void *new = memory_allocate((size_t)room, size, "records of gauges");
    if (used > 0)
        memcpy(new, old, (size_t)used * size);
    memory_release(old);
    return new;
}

void gauges_record(struct gauges *gauges, const struct grid *grid, const double *restrict bed,
                   const struct state *state, double time)
{
    const int count = gauges->count, size = grid->size;
    const double *restrict h = state->depth;
    double *restrict sample = gauges->sample;
    int cell[MAX_GAUGES];

    if (count == 0)
        return;
    memcpy(cell, gauges->cell, sizeof cell);
    #pragma acc parallel loop copyin(cell[0:count]) present(h[0:size], bed[0:size], sample[0:count])
    for (int k = 0; k < count; k++)
        sample[k] = h[cell[k]] + bed[cell[k]];
    #pragma acc update self(sample[0:count])

    if (gauges->records == gauges->room) {
        const int room = gauges->room == 0 ? FIRST_ROOM : 2 * gauges->room;
        gauges->times = grown(gauges->times, gauges->records, room, sizeof(double));
        gauges->levels = grown(gauges->levels, gauges->records, room, sizeof(double) * (size_t)count);
        gauges->room = room;
    }
    gauges->times[gauges->records] = time;
    memcpy(gauges->levels + (size_t)gauges->records * (size_t)count, sample, sizeof *sample * (size_t)count);
    gauges->records++;
}

void gauges_write(const struct gauges *gauges, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        error_exit("%s: %s", path, strerror(errno));
    fprintf(file, "# time");
    for (int k = 0; k < gauges->count; k++)
        fprintf(file, " (%g,%g)", gauges->x[k], gauges->y[k]);
    fputc('\n', file);
    for (int record = 0; record < gauges->records; record++) {
        fprintf(file, "%.9g", gauges->times[record]);
        for (int k = 0; k < gauges->count; k++)
            fprintf(file, " %.9g", gauges->levels[(size_t)record * (size_t)gauges->count + (size_t)k]);
        fputc('\n', file);
    }
    if (fclose(file) != 0)
        error_exit("%s: %s", path, strerror(errno));
}
