// expect-error: A0401 A0403 A0301 A0301
double f(int n, double *aa, double *ab)
{
    double sum1 = 0, sum2 = 0;
    #pragma acc paralel loop
    for (int i = 0; i < n; i++)
        aa[i] = i;
    #pragma acc parallel loop copyi(aa[0:n])
    for (int i = 0; i < n; i++)
        ab[i] = aa[i];
    #pragma acc parallel loop private(sum3)
    for (int i = 0; i < n; i++)
        ab[i] = ac[i];
    return sum1 + sum2;
}
