// expect-error: A0417
void f(int n, int *a)
{
    int m = n;
    #pragma acc parallel loop default(none) firstprivate(n) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i * m;
}
