// expect-error: A0410 A0410
void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n])
    a[0] = n;
    #pragma acc kernels copy(a[0:n])
    {
        #pragma acc loop independent
        while (n-- > 0)
            a[n] = n;
    }
}
