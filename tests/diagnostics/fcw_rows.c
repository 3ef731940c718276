// expect-error: A0518 A0518 A0518
void without(int n, float **restrict a, float *restrict b)
{
    #pragma acc parallel loop vector_length(64) present(a) copyout(b[0:n])
    for (int i = 1; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[0:0:0:i:1:0])
        b[i] = a[0][i] + a[0][i - 1];
    }
}
void pointers_only(int n, float **restrict a, float *restrict b)
{
    #pragma acc data copyin(a[0:n])
    {
        #pragma acc parallel loop vector_length(64) copyout(b[0:n])
        for (int i = 1; i < n; i++) {
            #pragma acc fcw FETCH_ONLY(a[0:0:0:i:1:0])
            b[i] = a[0][i] + a[0][i - 1];
        }
    }
}
void device(int n, float ***restrict a, float *restrict b)
{
    #pragma acc parallel loop vector_length(64) deviceptr(a) copyout(b[0:n])
    for (int i = 1; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[0:0:0:0:0:0:i:1:0])
        b[i] = a[0][0][i] + a[0][0][i - 1];
    }
}
