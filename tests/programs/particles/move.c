/* All particles at a time. */
#include <math.h>

#include "particles.h"

/* Each charge goes to the nearest node. Charges are integers, so that their sums are exact. */
void particles_deposit(const struct particles *p, struct field *f)
{
    #pragma acc parallel loop present(p, f)
    for (int k = 0; k < p->count; k++) {
        if (!p->alive[k])
            continue;
        const int i = (int)floor(p->x[k] + 0.5) % f->nx, j = (int)floor(p->y[k] + 0.5);
        #pragma acc atomic update
        f->density[j * f->nx + i] += p->charge[k];
    }
}

/* Moves all particles; `lost` gets the numbers of those absorbed, in any order. Gives how many. */
int particles_move(struct particles *p, const struct field *f, double step, int *lost)
{
    int absorbed = 0;
    #pragma acc parallel loop present(p, f, lost) copy(absorbed)
    for (int k = 0; k < p->count; k++) {
        if (!p->alive[k])
            continue;
        const double ratio = p->charge[k] < 0 ? -1.0 : 1.0;
        const double ex = field_at(f->ex, f->nx, f->ny, p->x[k], p->y[k]);
        const double ey = field_at(f->ey, f->nx, f->ny, p->x[k], p->y[k]);
        push(&p->x[k], &p->y[k], &p->u[k], &p->v[k], ratio * ex, ratio * ey, step);
        p->x[k] = wrap(p->x[k], f->nx);
        if (p->y[k] < 0.0 || p->y[k] >= f->ny) {
            int slot;
            p->alive[k] = 0;
            #pragma acc atomic capture
            slot = absorbed++;
            lost[slot] = k;
        }
    }
    return absorbed;
}

double particles_top_speed(const struct particles *p)
{
    double top = 0.0;
    #pragma acc parallel loop present(p) reduction(max:top)
    for (int k = 0; k < p->count; k++)
        if (p->alive[k])
            top = fmax(top, p->u[k] * p->u[k] + p->v[k] * p->v[k]);
    return sqrt(top);
}
