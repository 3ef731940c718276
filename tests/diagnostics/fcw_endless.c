// expect-error: A0511 A0511
void rows(int n, float **restrict a, float *restrict b)
{
    #pragma acc parallel loop vector_length(64) copyin(a[0:n][0:n]) copyout(b[0:n])
    for (int i = 1; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[0:0:0:i:1:0])
        b[i] = a[0][i] + a[0][i - 1];
    }
}
void on_the_device(int n, const float *restrict a, float *restrict b)
{
    #pragma acc parallel loop vector_length(64) deviceptr(a) copyout(b[0:n])
    for (int i = 1; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:1:0])
        b[i] = a[i] + a[i - 1];
    }
}
