// expect-error: A0203 A0203
// A backslash behind the last clause.
void f(int n, float *restrict a)
{
    #pragma acc parallel loop copyout(a[0:n]) \
    for (int i = 0; i < n; i++)
        a[i] = 1;
}
void g(int n, float *restrict a)
{
    #pragma acc parallel loop \
        copyout(a[0:n]) \

    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop copy(a[0..n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
}
