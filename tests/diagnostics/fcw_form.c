// expect-error: A0433 A0433 A0433 A0433 A0433 A0433 A0433 A0433
void f(int n, float (*restrict a)[8], const float *restrict b, double d)
{
    #pragma acc parallel loop present(a, b)
    for (int i = 1; i < n - 1; i++) {
        #pragma acc fcw FETCH_ONLY(b[i:3])
        a[i][0] = b[i];
        #pragma acc fcw FETCH_ONLY(b[i])
        a[i][0] = b[i];
        #pragma acc fcw FETCH_ONLY(b)
        a[i][0] = b[i];
        #pragma acc fcw FETCH_ONLY(b[i:0:0:i:0:0])
        a[i][0] = b[i];
        #pragma acc fcw WB_ONLY(a[i:0:0])
        a[i][0] = b[i];
        #pragma acc fcw FETCH_ONLY(b[i::1])
        a[i][0] = b[i];
        #pragma acc fcw FETCH_ONLY(b[i:d:1])
        a[i][0] = b[i];
        #pragma acc fcw FETCH_ONLY()
        a[i][0] = b[i];
    }
}
