// expect-error: A0401 A0401 A0403 A0403 A0403 A0403 A0403 A0403 A0403 A0401 A0401 A0401 A0401 A0401 A0403
void f(int n, double *a, double *b, double t)
{
    #pragma acc parallel for
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel for collapse(2) default(none) map(to: b[0:n]) map(tofrom: a[0:n * n]) firstprivate(n)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = b[i];
    #pragma acc parallel loop schedule(static) num_threads(4) shared(a) nowait
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop firstprivte(t)
    for (int i = 0; i < n; i++)
        a[i] = b[i] + t;
    #pragma acc kernels
    #pragma acc for
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc target teams distribute parallel for map(tofrom: a[0:n]) map(to: b[0:n]) collapse(1)
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc target enter data map(to: a[0:n])
    #pragma acc critical
    a[0] = 1;
    #pragma acc barrier
    #pragma acc update to(a[0:n])
}
