// expect-error: A0430 A0430 A0430 A0430 A0430
static float neighbours(const float *p, int i)
{
    #pragma acc fcw FETCH_ONLY(p[i:1:1])
    return p[i - 1] + p[i + 1];
}

void f(int n, float *restrict a, const float *restrict b)
{
    #pragma acc fcw_barrier
    #pragma acc parallel present(a, b)
    {
        #pragma acc fcw FETCH_ONLY(b[0:0:0])
        a[0] = b[0];
        #pragma acc loop
        for (int i = 1; i < n; i++) {
            a[i] = neighbours(b, i);
            #pragma acc fcw_barrier
        }
        #pragma acc loop seq
        for (int i = 1; i < n; i++) {
            #pragma acc fcw FETCH_ONLY(b[i:0:0])
            a[i] = b[i];
        }
    }
}
