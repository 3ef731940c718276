// expect-error: A0521
void smooth(int n, float *restrict a, float *restrict b)
{
    #pragma acc kernels loop independent vector(2048) copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:1:1])
        b[i] = i > 0 && i + 1 < n ? a[i - 1] + a[i + 1] : 0;
    }
}
