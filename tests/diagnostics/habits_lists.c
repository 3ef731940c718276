// expect-error: A0301 A0401 A0401 A0401 A0406 A0406 A0406 A0406 A0203 A0406 A0203 A0401 A0401 A0407 A0404
// Lists, labels and clauses as other languages have them.
struct grid {
    int nx;
    double *v;
};
double g(double x);
#pragma acc routine(gg) seq
double f(int n, struct grid *gr, double *a, double *b)
{
    double s = 0, t = 0;
    int k;
    #pragma acc data copyin(b[0:n])
    {
    }
    #pragma acc end data
    #pragma acc delete(a)
    #pragma acc copyin(a[0:n])
    #pragma acc parallel loop private(i) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop collapse(2) private(i, j, k) copy(a[0:n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i] = k = 1;
    #pragma acc parallel loop reduction(+:s, max:t) copyin(a[0:n])
    for (int i = 0; i < n; i++) {
        s += a[i];
        t = a[i] > t ? a[i] : t;
    }
    #pragma acc parallel loop reduction(+:s, *:t) copyin(a[0:n])
    for (int i = 0; i < n; i++) {
        s += a[i];
        t *= a[i];
    }
    #pragma acc parallel loop vector(length = 4) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop copy(a[0:n]) default none firstprivate(n)
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel: loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc endparallel
    #pragma acc end parallel loop
    #pragma acc parallel loop copy(a[0:n], gr)
    for (int i = 0; i < n; i++)
        a[i] = gr->nx;
    #pragma acc kernels copy(a[0:n]) gang(32)
    for (int i = 0; i < n; i++)
        a[i] = 1;
    return s + t;
}
