// expect-error: A0418 A0403 A0403 A0403 A0403 A0403 A0403 A0401 A0401 A0404 A0403 A0408 A0408 A0408 A0408 A0409 A0203 A0403 A0203
// Words of other models' clauses and constructs; addresses in place of sections; clauses on continued lines.
double outside(double x);
static double twice(double x)
{
    return 2 * outside(x);
}
void f(int n, double *a, double *b, double *s, double t)
{
    #pragma acc parallel loop in(b[0:n]) out(a[0:n]) vector_size(32)
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop inout(a[0:n]) async nowait
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop num_teams(8) num_gangs(4) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc loop parallel copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc loop kernels
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc loop simd copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel copy(a[0:n])
    #pragma acc loop parallel
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop copyin(&b[0]) copy(*a)
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop copyin(&b[2], &t) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i] + t;
    #pragma acc parallel loop copyin(b[0:n]) copyout(s[0:n]) reduction(+:s)
    for (int i = 0; i < n; i++)
        s[0] += b[i];
    #pragma acc parallel loop copyin(b[0:n]) \
                              copyout(a[0..n]) \
                              num_threads(128) reduction(+, t)
    for (int i = 0; i < n; i++)
        t += a[i] = b[i];
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = twice(a[i]);
}
