#include "particles.h"

int wrap(int i)
{
    return i % period;
}

#pragma acc routine seq
int wrap_on_device(int i)
{
    int times = i / period;
    return i - times * period;
}

/* The name is that of a function of another file too. */
static double half(double x)
{
    return x / 2;
}

void scale(int n, double factor, double a[n])
{
    #pragma acc loop gang vector
    for (int i = 0; i < n; i++)
        a[i] = half(a[i]) * factor;
}
