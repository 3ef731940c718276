// expect-error: A0444 A0444 A0444
void f(int n, const float *restrict a, float *restrict b)
{
    #pragma acc parallel loop collapse(2) present(a, b)
    for (int i = 1; i < n - 1; i++) {
        for (int j = 1; j < n - 1; j++) {
            #pragma acc fcw FETCH_ONLY(a[i:-1:2])
            b[i] = a[i + 1];
            #pragma acc fcw FETCH_ONLY(a[1:j:1])
            b[i] = a[i + 1];
            #pragma acc fcw FETCH_ONLY(a[i:0:i + 2])
            b[i] = a[i + 1];
        }
    }
}
