// expect-error: A0406 A0406 A0406
void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n]) vector_length()
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop copy(a[0:n]) collapse(n)
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop copy(a[0:n]) default(shared)
    for (int i = 0; i < n; i++)
        a[i] = i;
}
