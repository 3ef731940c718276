// expect-error: A0401
void f(int n, int *a)
{
    #pragma acc paralel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
}
