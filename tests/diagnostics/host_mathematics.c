// expect-error: A0418 A0418 A0418 A0418 A0418
#include <math.h>
#include <stdlib.h>
void f(int n, double *a)
{
    int sign;
    #pragma acc parallel loop copy(a[0:n]) private(sign)
    for (int i = 0; i < n; i++) {
        a[i] = div(i, 3).quot;
        a[i] += remainder(a[i], 2) + nexttoward(a[i], 1);
        a[i] += lgamma_r(a[i], &sign);
        a[i] += llabs(i) + fabsl(a[i]);
        signal(2, 0);
    }
}
