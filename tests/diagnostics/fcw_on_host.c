// expect-error: A0443
void f(int n, int *restrict a, int *restrict b)
{
    #pragma acc kernels copyin(a[0:n]) copyout(b[0:n]) if(n > 1000)
    #pragma acc loop independent vector(64)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_CHANNEL(a[i:0:1])
        {
            a[i] = a[i + 1];
            b[i] = a[i];
        }
    }
}
