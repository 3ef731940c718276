// expect-error: A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203
void f(int n, int lo, int hi, double *a, double m[n][n])
{
    double s = 0;
    #pragma acc parallel loop copy(a[0..n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop copy(a[lo..hi])
    for (int i = lo; i < hi; i++)
        a[i] = i;
    #pragma acc parallel copy(m[0:n, 0:n])
    {
        #pragma acc loop gang
        for (int i = 0; i < n; i++)
            m[i][0] = i;
    }
    #pragma acc parallel loop copy(a(1:n))
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop reduction(+, s)
    for (int i = 0; i < n; i++)
        s += i;
    #pragma acc update device a[0:n]
    #pragma acc enter data copyin a[0:n] async(1)
    #pragma acc wait 1
    #pragma acc update a[0:n]
    #pragma acc parallel loop if n > 3
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop num_gangs = 4;
    for (int i = 0; i < n; i++)
        a[i] = i;
}
