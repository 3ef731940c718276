// expect-error: A0402 A0411 A0411
void f(int n, float *first, float **last, float *a)
{
    #pragma acc parallel loop present(first[0:n])
    for (float *p = first; p != last[0]; p++)
        *p = 0;
    #pragma acc parallel loop copy(a[0:n])
    for (float *p = a; p < a + n; p--)
        *p = 0;
    #pragma acc parallel loop copy(a[0:n])
    for (float *p = a; *p > 0; p++)
        *p = 0;
}
