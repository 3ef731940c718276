// expect-error: A0405 A0405
void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n]) present(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop copy(a[0:n]) vector_length(32) vector_length(64)
    for (int i = 0; i < n; i++)
        a[i] = i;
}
