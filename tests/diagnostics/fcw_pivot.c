// expect-error: A0510 A0510 A0510 A0510 A0510
void gather(int n, const int *restrict first, const float *restrict a, float *restrict b)
{
    #pragma acc parallel loop vector_length(256) present(first, a, b)
    for (int i = 0; i < n; i++) {
        int start = first[i];
        #pragma acc fcw FETCH_ONLY(a[start:0:3])
        b[i] = a[start] + a[start + 3];
    }
    #pragma acc parallel loop vector_length(256) present(a, b)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i * n:0:3])
        b[i] = a[i * n];
    }
    #pragma acc parallel loop vector_length(100) present(a, b)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i - (i >> 6) * 4:0:3])
        b[i] = a[i - (i >> 6) * 4];
    }
    #pragma acc parallel loop vector_length(64) present(a, b)
    for (int i = 3; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i / 64:0:0])
        b[i] = a[i / 64];
    }
    #pragma acc parallel loop vector_length(64) present(a, b)
    for (int i = 0; i < n; i++) {
        int at = i;
        if (i > 7)
            at = i - 7;
        #pragma acc fcw FETCH_ONLY(a[at:0:0])
        b[i] = a[at];
    }
}
