// expect-error: A0413 A0413
void f(int n, int m, int *a)
{
    #pragma acc parallel loop collapse(2) copy(a[0:n])
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        for (int j = 0; j < m; j++)
            a[i] += j;
    }
    #pragma acc parallel loop collapse(2) copy(a[0:n * n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            a[i * n + j] = j;
}
