// expect-error: A0520
void triangle(int n, float *restrict a, float *restrict b)
{
    #pragma acc kernels loop independent gang vector(16) copyin(a[0:n]) copy(b[0:n * n])
    for (int i = 0; i < n; i++) {
        #pragma acc loop independent vector(16)
        for (int j = 0; j < i; j++) {
            #pragma acc fcw FETCH_ONLY(a[j:1:1])
            b[i * n + j] = a[j > 0 ? j - 1 : j];
        }
    }
}
