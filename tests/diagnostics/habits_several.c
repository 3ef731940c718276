// expect-error: A0406 A0403 A0403 A0403 A0203 A0406 A0203 A0203 A0403 A0203 A0403 A0403
// Several mistakes in one directive are told at once, and nothing of what follows from them.
double f(int n, float *restrict a, float *restrict b)
{
    double s = 0, t = 0;
    #pragma acc parallel loop reduction(mx:s) copyn(a[0:n]) num_gang(4) reductoin(+:t)
    for (int i = 0; i < n; i++)
        s = a[i] > s ? a[i] : s;
    #pragma acc parallel loop copyin(a[0 n]) reduction(+ s) num_gangs 4 copyin(b[0..n-1], q) gange
    for (int i = 0; i < n; i++)
        s += a[i] + b[i];
    #pragma acc data copyin(a(1:n)) copyy(b[0:n]) vektor
    {
        #pragma acc parallel loop
        for (int i = 0; i < n; i++)
            a[i] = b[i];
    }
    return s + t;
}
