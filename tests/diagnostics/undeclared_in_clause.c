// expect-error: A0301
void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
}
