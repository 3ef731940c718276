/*
 * Budgets of the flow: energy of motion and of height, circulation, and potential enstrophy. Without
 * friction, wind and waves that break, they keep what they are.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stdio.h>

#include "sources.h"
#include "state.h"

enum budget_term { BUDGET_KINETIC, BUDGET_POTENTIAL, BUDGET_CIRCULATION, BUDGET_ENSTROPHY, BUDGET_TERMS };

struct budget {
    FILE *file;
    const char *path;
    /* The terms of every row of cells, one term after the other. */
    double *rows;
    /* Sums over all rows when they were recorded last, and the first time. */
    double now[BUDGET_TERMS], first[BUDGET_TERMS];
    int records;
};

/* Records go to a file. */
struct budget budget_create(const struct grid *grid, const char *path);
void budget_destroy(const struct grid *grid, struct budget *budget);

/*
 * Computes all terms and adds a line to the file. Rows are summed on the device, each from west to
 * east, and put together on the host, so that the sums are the same on any number of processors.
 */
void budget_record(struct budget *budget, const struct grid *grid, const double *bed, const struct sources *sources,
                   const struct state *state, double time);

/* How much the terms have changed since the first record. */
void budget_summarise(const struct budget *budget, FILE *file);

#endif
