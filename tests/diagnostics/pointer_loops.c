// expect-error: A0402 A0411 A0411 A0411
void f(int n, float *first, float *last, float *a)
{
    float *q;
    #pragma acc parallel loop collapse(2) present(first[0:n])
    for (int i = 0; i < n; i++)
        for (q = first; q != last; q++)
            *q = 0;
    #pragma acc parallel loop present(first[0:n])
    for (float *p = first; p != last; p++)
        *p++ = 0;
    #pragma acc parallel loop copy(a[0:n])
    for (float *p = a; p < a + n; p--)
        *p = 0;
    #pragma acc parallel loop copy(a[0:n])
    for (float *p = a; *p > 0; p++)
        *p = 0;
}
