// expect-error: A0416
void f(int n, int *a)
{
    #pragma acc parallel copy(a[0:n])
    {
        #pragma acc loop gang(4)
        for (int i = 0; i < n; i++)
            a[i] = i;
    }
}
