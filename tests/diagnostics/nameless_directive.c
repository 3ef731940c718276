// expect-error: A0203
void f(int n, int *a)
{
    #pragma acc
    for (int i = 0; i < n; i++)
        a[i] = i;
}
