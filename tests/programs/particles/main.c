/*
 * Particles and the field that they make, step by step.
 *
 * usage: particles NX NY COUNT STEPS OUTPUT
 */
#include <stdio.h>
#include <stdlib.h>

#include "particles.h"

#define SWEEPS 6
#define STEP 0.125

static void *allocate(size_t count, size_t size)
{
    void *memory = malloc(count * size);
    if (memory == NULL) {
        fprintf(stderr, "particles: no memory for %zu values\n", count);
        exit(2);
    }
    return memory;
}

/* Two beams that meet, spread over the box. */
static struct particles particles_create(int count, int nx, int ny)
{
    struct particles p = {.count = count};
    p.x = allocate((size_t)count, sizeof *p.x);
    p.y = allocate((size_t)count, sizeof *p.y);
    p.u = allocate((size_t)count, sizeof *p.u);
    p.v = allocate((size_t)count, sizeof *p.v);
    p.charge = allocate((size_t)count, sizeof *p.charge);
    p.alive = allocate((size_t)count, sizeof *p.alive);
    for (int k = 0; k < count; k++) {
        p.x[k] = (k * 37 % 1009) / 1009.0 * nx;
        p.y[k] = (0.5 + k * 53 % 997) / 998.0 * ny;
        p.u[k] = k % 2 ? 1.0 : -1.0;
        p.v[k] = (k % 11 - 5) * 0.25;
        p.charge[k] = k % 3 ? 1 : -2;
        p.alive[k] = 1;
    }
    return p;
}

static void particles_destroy(struct particles *p)
{
    free(p->x);
    free(p->y);
    free(p->u);
    free(p->v);
    free(p->charge);
    free(p->alive);
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void simulate(struct particles *p, struct field *f, int steps, FILE *output)
{
    const int count = p->count, nodes = node_count(f);
    int *lost = allocate((size_t)count, sizeof *lost);

    #pragma acc enter data copyin(p[0:1], f[0:1]) create(lost[0:count])
    #pragma acc enter data copyin(p->x[0:count], p->y[0:count], p->u[0:count], p->v[0:count]) \
        copyin(p->charge[0:count], p->alive[0:count])
    #pragma acc enter data copyin(f->potential[0:nodes], f->next_potential[0:nodes]) \
        create(f->density[0:nodes], f->ex[0:nodes], f->ey[0:nodes])
    for (int s = 0; s < steps; s++) {
        field_clear_density(f);
        particles_deposit(p, f);
        field_solve(f, SWEEPS);
        const int absorbed = particles_move(p, f, STEP, lost);
        fprintf(output, "%d\n", absorbed);
        if (absorbed > 0) {
            #pragma acc update self(lost[0:absorbed])
            qsort(lost, (size_t)absorbed, sizeof *lost, ascending);
            for (int k = 0; k < absorbed; k++)
                fprintf(output, "%d\n", lost[k]);
        }
        if (s % 4 == 3)
            fprintf(output, "%a\n", particles_top_speed(p));
    }
    #pragma acc exit data copyout(f->potential[0:nodes]) \
        delete(f->next_potential[0:nodes], f->density[0:nodes], f->ex[0:nodes], f->ey[0:nodes])
    #pragma acc exit data copyout(p->x[0:count], p->y[0:count], p->u[0:count], p->v[0:count]) \
        delete(p->charge[0:count], p->alive[0:count])
    #pragma acc exit data delete(p[0:1], f[0:1], lost[0:count])
    free(lost);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: %s NX NY COUNT STEPS OUTPUT\n", argv[0]);
        return 2;
    }
    const int nx = atoi(argv[1]), ny = atoi(argv[2]), count = atoi(argv[3]);
    FILE *output = fopen(argv[5], "w");
    if (output == NULL) {
        perror(argv[5]);
        return 2;
    }
    struct particles p = particles_create(count, nx, ny);
    struct field f = field_create(nx, ny);
    simulate(&p, &f, atoi(argv[4]), output);
    for (int k = 0; k < count; k++)
        fprintf(output, "%a %a %a %a\n", p.x[k], p.y[k], p.u[k], p.v[k]);
    for (int at = 0; at < node_count(&f); at++)
        fprintf(output, "%a\n", f.potential[at]);
    fclose(output);
    particles_destroy(&p);
    field_destroy(&f);
    return 0;
}
