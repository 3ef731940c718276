// expect-error: A0414 A0414
void f(int n, int *a)
{
    #pragma acc parallel copy(a[0:n * n])
    {
        #pragma acc loop vector
        for (int i = 0; i < n; i++) {
            #pragma acc loop gang
            for (int j = 0; j < n; j++)
                a[i * n + j] = j;
        }
        #pragma acc loop gang
        for (int i = 0; i < n; i++) {
            #pragma acc loop gang
            for (int j = 0; j < n; j++)
                a[i * n + j] = j;
        }
    }
}
