// expect-error: A0403 A0403
void f(int n, int *a)
{
    #pragma acc parallel loop copyinn(a[0:n]) vector_lenght(32)
    for (int i = 0; i < n; i++)
        a[i] = i;
}
