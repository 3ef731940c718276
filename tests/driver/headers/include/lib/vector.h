#pragma once
#include "real.h"
#include <stddef.h>

#pragma acc routine seq
static inline real clamped(real x)
{
    return x > LARGEST ? LARGEST : x;
}

static inline void scale(size_t n, real *a, real by)
{
#pragma acc parallel loop copy(a[0:n])
    for (size_t i = 0; i < n; i++)
        a[i] = clamped(a[i] * by);
}

static inline real total(size_t n, const real *a)
{
    real sum = 0;
#pragma acc parallel loop reduction(+:sum) copyin(a[0:n])
    for (size_t i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
