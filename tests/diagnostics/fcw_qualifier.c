// expect-error: A0438 A0438
volatile int flags[64];
void f(int n, const _Atomic int *restrict counts, int *restrict b)
{
    #pragma acc parallel loop present(counts, b)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(flags[i:0:0]) FETCH_ONLY(counts[i:0:0])
        b[i] = flags[i] + counts[i];
    }
}
