// expect-error: A0404 A0404
void f(int n, float *p, float *restrict a)
{
    float row[4];
    #pragma acc kernels private(row) copy(a[0:n])
    for (int i = 0; i < n; i++) {
        row[i % 4] = i;
        a[i] = row[i % 4];
    }
    #pragma acc kernels private(p[0:4]) copy(a[0:n])
    for (int i = 0; i < n; i++) {
        p[i % 4] = i;
        a[i] = p[i % 4];
    }
}
