// expect-error: A0411 A0411
#include <stddef.h>

void f(size_t n, unsigned m, int *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (size_t i = n - 1; i != (size_t)-1; i--)
        a[i]++;
    #pragma acc parallel loop copy(a[0:m])
    for (unsigned i = 0; i != m; i++)
        a[i]++;
    #pragma acc parallel loop copy(a[0:m])
    for (unsigned i = m; i != 3; i--)
        a[i - 1]++;
    #pragma acc parallel loop copy(a[0:m])
    for (unsigned char c = 200; c != 100; c++)
        a[c]++;
}
