// expect-error: A0401 A0401 A0403 A0403 A0403 A0403 A0403 A0403 A0404 A0404 A0404 A0401 A0401 A0403 A0422 A0422 A0422
// Words of CUDA's launches; clauses and directives in each other's places.
double fmax(double, double);
void f(int n, double *a, double *b)
{
    #pragma acc for
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc simd
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop block(256) grid(10) stream(1) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop serial copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop cache(b[0:4]) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc exit data free(a[0:n])
    #pragma acc kernels collapse(2) copy(a[0:n * n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * n + j] = i;
    #pragma acc parallel gang copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc kernels reduction(+:n)
    for (int i = 0; i < 9; i++)
        n += i;
    #pragma acc waitall
    #pragma acc gang
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc wait all
    #pragma acc parallel loop copy(a[0:n], b[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc atomic
        a[0] = b[i];
        #pragma acc atomic
        a[0] = fmax(a[0], b[i]);
        #pragma acc atomic
        if (b[i] > a[0])
            a[0] = b[i];
    }
}
