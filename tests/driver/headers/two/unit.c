#include <lib/mean.h>
#include <lib/vector.h>
#include "lib/vector.h"

double two(void);

static void fill(int n, real *a)
{
#pragma acc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 2 * i;
}

double two(void)
{
    real a[50];
    fill(50, a);
    scale(50, a, 3);
    return mean(50, a);
}
