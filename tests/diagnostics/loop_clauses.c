// expect-error: A0406 A0406 A0416 A0413 A0413 A0406 A0404 A0406
void f(int n, int m, int *a)
{
    #pragma acc parallel loop tile(0, 4) copy(a[0:n * m])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * m + j] = 0;
    #pragma acc parallel loop tile() copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 0;
    #pragma acc parallel loop tile(2) collapse(1) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 0;
    #pragma acc parallel loop tile(2, 2) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 0;
    #pragma acc parallel loop collapse(force: 2) copy(a[0:n])
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++)
            a[i] += j;
        for (int j = 0; j < m; j++)
            a[i] -= j;
    }
    #pragma acc parallel loop gang(static: 0) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 0;
    #pragma acc parallel loop device_type(nvidia) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 0;
    #pragma acc parallel loop copy(a[0:n]) device_type()
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
