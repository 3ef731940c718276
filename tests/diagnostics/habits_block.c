// expect-error: A0203
void f(int n, double *a)
{
    #pragma acc parallel copy(a[0:n]) {
        #pragma acc loop gang
        for (int i = 0; i < n; i++)
            a[i] = i;
    }
}
