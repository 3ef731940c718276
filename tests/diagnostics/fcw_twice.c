// expect-error: A0442 A0442 A0442
void f(int n, int *restrict a, int *restrict b)
{
    #pragma acc parallel loop present(a, b)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:1:0]) FETCH_WB(a[i:0:0])
        a[i] = a[i - 1];
        #pragma acc fcw WB_ONLY(b[i:0:0])
        #pragma acc fcw CHANNEL_ONLY(b[i:0:0])
        b[i] = 1;
        #pragma acc fcw FETCH_ONLY(a[i:1:0])
        {
            #pragma acc fcw FETCH_ONLY(a[i:0:1])
            b[i] = a[i + 1];
        }
    }
}
