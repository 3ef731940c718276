// expect-error: A0432 A0432 A0432 A0432 A0432
void f(int n, float *restrict a, const float *restrict b)
{
    #pragma acc parallel loop present(a, b)
    for (int i = 1; i < n - 1; i++) {
        #pragma acc fcw FETCH_CHANEL(b[i:1:1])
        a[i] = b[i];
        #pragma acc fcw readonly(b[i:1:1]) FETCH_ONLY(b[i:1:1])
        a[i] = b[i];
        #pragma acc fcw (b[i:1:1])
        a[i] = b[i];
        #pragma acc fcw
        a[i] = b[i];
        #pragma acc fcw explicit
        a[i] = b[i];
    }
}
