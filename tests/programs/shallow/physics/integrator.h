/* Steps in time: strong-stability-preserving Runge-Kutta methods over transport and sources. */
#ifndef INTEGRATOR_H
#define INTEGRATOR_H

#include "boundary.h"
#include "primitive.h"
#include "sources.h"
#include "state.h"
#include "transport.h"

struct integrator {
    const struct grid *grid;
    const double *bed;
    struct boundary boundary;
    struct sources sources;
    enum limiter limiter;
    /* 1, 2 or 3 stages. */
    int order;
    /* How much of the fastest wave's way through a cell a step may last. */
    double courant;

    struct primitive primitive;
    struct transport transport;
    struct state stage, change;
};

void integrator_create(struct integrator *integrator, enum flux_scheme scheme);
void integrator_destroy(struct integrator *integrator);

/* The longest step that is stable for a state. */
double integrator_step(struct integrator *integrator, const struct state *state);

/* Takes the state from `time` to `time + step`. */
void integrator_advance(struct integrator *integrator, struct state *state, double time, double step);

#endif
