/* Gauges: the water at points of the rectangle, at every step. */
#ifndef GAUGES_H
#define GAUGES_H

#include "state.h"

#define MAX_GAUGES 16

struct gauges {
    int count;
    int cell[MAX_GAUGES];
    double x[MAX_GAUGES], y[MAX_GAUGES];
    /* Records of all gauges, one record behind the other. */
    int records, room;
    double *times;
    double *levels;
    /* What the device writes for one record. */
    double *sample;
};

/* From a list X,Y;X,Y;...; NULL or empty is none. */
struct gauges gauges_create(const struct grid *grid, const char *list);
void gauges_destroy(struct gauges *gauges);

/* Adds the levels at a time: only those of the gauges leave the device. */
void gauges_record(struct gauges *gauges, const struct grid *grid, const double *bed, const struct state *state,
                   double time);

/* A line for each record: the time and all levels. */
void gauges_write(const struct gauges *gauges, const char *path);

#endif
