// expect-error: A0402 A0402 A0408 A0402 A0402
void f(int n, float *p, float **rows, float *restrict a)
{
    #pragma acc parallel loop firstprivate(p) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = *p++;
    #pragma acc parallel loop private(rows[0:n][0:n]) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = rows[i][i] = 1;
    #pragma acc parallel loop private(p[1]) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = p[1] = i;
    #pragma acc parallel copy(a[0:n])
    {
        #pragma acc loop gang private(p[0:n])
        for (int i = 0; i < n; i++)
            a[i] = p[i] = 1;
        #pragma acc loop gang private(p[0:2 * n])
        for (int i = 0; i < n; i++)
            a[i] = p[2 * i] = 1;
    }
}

#pragma acc routine vector
void g(int n, float *w, float *restrict a)
{
    #pragma acc loop vector private(w[0:n])
    for (int i = 0; i < n; i++) {
        w[i] = i;
        a[i] = w[i];
    }
}
