/* The electric field of the particles: a potential by Jacobi's sweeps, zero at the walls. */
#include <stdio.h>
#include <stdlib.h>

#include "particles.h"

static double *nodes(const struct field *f)
{
    double *values = calloc((size_t)node_count(f), sizeof *values);
    if (values == NULL) {
        fprintf(stderr, "particles: no memory for a field\n");
        exit(2);
    }
    return values;
}

struct field field_create(int nx, int ny)
{
    struct field f = {.nx = nx, .ny = ny};
    f.density = nodes(&f);
    f.potential = nodes(&f);
    f.next_potential = nodes(&f);
    f.ex = nodes(&f);
    f.ey = nodes(&f);
    return f;
}

void field_destroy(struct field *f)
{
    free(f->density);
    free(f->potential);
    free(f->next_potential);
    free(f->ex);
    free(f->ey);
}

void field_clear_density(struct field *f)
{
    #pragma acc parallel loop present(f)
    for (int at = 0; at < f->nx * (f->ny + 1); at++)
        f->density[at] = 0.0;
}

static void sweep(int nx, int ny, const double *restrict density, const double *restrict old, double *restrict new)
{
    const int size = nx * (ny + 1);
    #pragma acc parallel loop gang present(density[0:size], old[0:size], new[0:size])
    for (int j = 1; j < ny; j++) {
        #pragma acc loop vector
        for (int i = 0; i < nx; i++) {
            const int at = j * nx + i, left = j * nx + (i + nx - 1) % nx, right = j * nx + (i + 1) % nx;
            new[at] = 0.25 * (old[left] + old[right] + old[at - nx] + old[at + nx] + 0.0625 * density[at]);
        }
    }
}

static void differentiate(struct field *f)
{
    #pragma acc parallel loop collapse(2) present(f)
    for (int j = 0; j <= f->ny; j++)
        for (int i = 0; i < f->nx; i++) {
            const int nx = f->nx, at = j * nx + i;
            const int below = j > 0 ? at - nx : at, above = j < f->ny ? at + nx : at;
            f->ex[at] = 0.5 * (f->potential[j * nx + (i + nx - 1) % nx] - f->potential[j * nx + (i + 1) % nx]);
            f->ey[at] = 0.5 * (f->potential[below] - f->potential[above]);
        }
}

/* An even number of sweeps, so that the result is where it was. */
void field_solve(struct field *f, int sweeps)
{
    for (int s = 0; s < sweeps; s += 2) {
        sweep(f->nx, f->ny, f->density, f->potential, f->next_potential);
        sweep(f->nx, f->ny, f->density, f->next_potential, f->potential);
    }
    differentiate(f);
}
