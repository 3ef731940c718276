/* Routines and global variables that several files share. */
#ifndef PARTICLES_H
#define PARTICLES_H

#define CELLS 64

struct particle {
    double x, v;
    int hits;
};

#pragma acc routine seq
extern double advance(struct particle *p, double dt);

double norm(int n, const double *a);
#pragma acc routine(norm) vector

#pragma acc routine worker
int count_above(int n, const double *a, double limit);

#pragma acc routine gang
void scale(int n, double factor, double a[n]);

#pragma acc routine seq bind("wrap_on_device")
int wrap(int i);

extern double table[CELLS];
extern int period;
extern double *field;
extern double far[];
#pragma acc declare create(table, field) copyin(period) link(far)

void setup(void);
void release(void);

#endif
