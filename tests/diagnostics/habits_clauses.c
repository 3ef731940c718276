// expect-error: A0407 A0407 A0406 A0406 A0406 A0406 A0404 A0404 A0403 A0406 A0406 A0406
double table[100];
double f(int n, double *a)
{
    double s = 0;
    int t;
    #pragma acc parallel loop copy(table[1:100])
    for (int i = 0; i < n; i++)
        table[i] = i;
    #pragma acc parallel loop copy(a[0:n:2])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop reduction(s)
    for (int i = 0; i < n; i++)
        s += i;
    #pragma acc parallel loop reduction(max, s)
    for (int i = 0; i < n; i++)
        s = i > s ? i : s;
    #pragma acc parallel loop reduction(sum:s)
    for (int i = 0; i < n; i++)
        s += i;
    #pragma acc parallel loop reduction(+ s)
    for (int i = 0; i < n; i++)
        s += i;
    #pragma acc kernels gang(32) vector(128)
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel lop
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop private t
    for (int i = 0; i < n; i++)
        a[i] = t = i;
    #pragma acc update host a
    #pragma acc update (a[0:n])
    return s;
}
