// expect-error: A0403
void f(int n, float *a)
{
    #pragma acc routine(f) sequential
    #pragma acc data copy(a[0:n])
    {
        #pragma acc parallel loop
        for (int i = 0; i < n; i++)
            a[i] += 1;
        #pragma acc update self(a[0:n])
    }
}
