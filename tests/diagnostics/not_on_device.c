// expect-error: A0418 A0418
#include <stdio.h>
#include <stdlib.h>

void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        FILE *file = fopen("out", "w");
        a[i] = file == NULL;
    }
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = rand();
}
