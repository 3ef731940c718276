// expect-error: A0401 A0401 A0401
void f(int n, double *a)
{
    #pragma acc data copy(a[0:n])
    {
        #pragma acc parallel do
        for (int i = 0; i < n; i++)
            a[i] = i;
    }
    #pragma acc end data
    #pragma acc parallel loop
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc end parallel loop
}
