// expect-error: A0106
void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n] vector_length(32)
    for (int i = 0; i < n; i++)
        a[i] = i;
}
