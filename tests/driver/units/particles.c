#include "particles.h"

#include <stdlib.h>

double table[CELLS];
int period = CELLS;
double *field;
double far[50];
static double limit = 3;
#pragma acc declare copyin(limit)

double advance(struct particle *p, double dt)
{
    p->v += table[wrap(p->hits)] + field[p->hits % 10] + far[p->hits % 20];
    p->x += p->v * dt;
    p->hits++;
    return p->x > limit ? limit : p->x;
}

double norm(int n, const double *a)
{
    double sum = 0;
    #pragma acc loop vector reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sum;
}

int count_above(int n, const double *a, double limit)
{
    int count = 0;
    #pragma acc loop worker reduction(+:count)
    for (int i = 0; i < n; i++)
        count += a[i] > limit;
    return count;
}

void setup(void)
{
    for (int i = 0; i < CELLS; i++)
        table[i] = i * 0.25;
    period = 7;
    #pragma acc update device(table, period)
    field = malloc(10 * sizeof *field);
    for (int i = 0; i < 10; i++)
        field[i] = i * 0.5;
    for (int i = 0; i < 50; i++)
        far[i] = i * 0.125;
    #pragma acc enter data copyin(field[0:10], far[0:20])
}

void release(void)
{
    #pragma acc exit data delete(field[0:10], far[0:20])
    free(field);
}
