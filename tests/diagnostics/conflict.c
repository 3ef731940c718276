// expect-error: A0416 A0416
void f(int n, int *a)
{
    #pragma acc parallel copy(a[0:n])
    {
        #pragma acc loop seq gang
        for (int i = 0; i < n; i++)
            a[i] = i;
        #pragma acc loop independent auto
        for (int i = 0; i < n; i++)
            a[i] = i;
    }
}
