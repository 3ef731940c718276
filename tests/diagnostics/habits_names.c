// expect-error: A0403 A0403 A0403 A0413 A0203 A0403 A0401 A0411 A0418 A0403 A0203 A0403 A0403 A0403 A0403 A0403 A0403 A0403 A0401 A0403 A0403
// Names that are nearly right, and what is meant by them.
#include <stdarg.h>
static int sum(int n, ...)
{
    va_list list;
    va_start(list, n);
    int s = 0;
    while (n--)
        s += va_arg(list, int);
    va_end(list);
    return s;
}
void f(int n, int *a)
{
    #pragma acc parallel loop gangs(10) vectors(128) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop num_threads(4) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop collapse(3) copy(a[0:n * n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = i;
    #pragma acc parallel loop copy(a(0:n))
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc update gpu(a[0:n])
    #pragma acc sync
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        int *p = &i;
        a[i] = *p;
    }
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = sum(2, a[i], 1);
    #pragma acc parallel lopp copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc enter data copy-in(a[0:n])
    #pragma acc parallel loop thread(64) gangs ngangs(4) sync copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop is_present(a) deviceresident(a)
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop reduce(+:n) copy(a[0:n])
    for (int i = 0; i < 9; i++)
        n += a[i];
    #pragma acc begin data copy(a[0:n])
    {
        a[0] = 1;
    }
    #pragma acc update map(from: a[0:n])
    #pragma acc exit data map(to: a[0:n])
}
