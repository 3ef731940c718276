// expect-error: A0406
void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n]) reduction(sum:n)
    for (int i = 0; i < n; i++)
        a[i] = i;
}
