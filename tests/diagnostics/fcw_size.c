// expect-error: A0511 A0512 A0513 A0516
void smooth(int n, const double *restrict a, double *restrict b)
{
    #pragma acc parallel loop vector_length(256) present(a, b)
    for (int i = 8; i < n - 8; i++) {
        for (int k = 1; k < 8; k++) {
            #pragma acc fcw FETCH_ONLY(a[i:k:k])
            b[i] += a[i - k] + a[i + k];
        }
    }
    #pragma acc parallel loop vector_length(256) present(a, b)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:20000:20000])
        b[i] = a[i];
    }
    #pragma acc parallel loop vector_length(256) present(a, b)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:1:1])
        b[i] = a[i] + a[i + 1000];
    }
    #pragma acc parallel loop vector_length(256) present(a, b)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:0:0], a[0:0:63])
        b[i] = a[i] * a[(int)b[i]];
    }
}
