/* Written by hand in the form of a translation of dot.c. */
#include "accrs.h"
extern void dot_launch(int n, double *x, double *sum);

#include <stdio.h>

int main(void)
{
    double x[1000], sum = 1.0;
    const int n = 1000;
    for (int i = 0; i < n; i++)
        x[i] = i;
    {
        accrs_begin("dot.c", 6, "parallel loop");
        accrs_copyin("x", x, 0, n * sizeof *x);
        dot_launch(n, x, &sum);
        accrs_end();
    }
    printf("%.1f %d\n", sum, _OPENACC);
    return 0;
}
