// expect-error: A0201 A0201
void f(int n, double *a, double *b)
{
    !$acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop copy(a[0:n])
        copyin(b[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}
