/*
 * Charged particles in the plane: a box of nx by ny cells of size 1, periodic in x, with walls in y
 * that absorb. Fields live on the nx by ny + 1 nodes.
 */
#ifndef PARTICLES_H
#define PARTICLES_H

struct particles {
    int count;
    double *x, *y;
    double *u, *v;
    int *charge;
    /* 0 once a wall has absorbed it. */
    int *alive;
};

struct field {
    int nx, ny;
    double *density;
    double *potential;
    double *next_potential;
    double *ex, *ey;
};

static inline int node_count(const struct field *f)
{
    return f->nx * (f->ny + 1);
}

/* field.c */
struct field field_create(int nx, int ny);
void field_destroy(struct field *f);
void field_clear_density(struct field *f);
void field_solve(struct field *f, int sweeps);

/* push.c */
#pragma acc routine seq
double field_at(const double *values, int nx, int ny, double x, double y);
#pragma acc routine seq
void push(double *x, double *y, double *u, double *v, double ex, double ey, double step);
#pragma acc routine seq
double wrap(double x, double length);

/* move.c */
void particles_deposit(const struct particles *p, struct field *f);
int particles_move(struct particles *p, const struct field *f, double step, int *lost);
double particles_top_speed(const struct particles *p);

#endif
