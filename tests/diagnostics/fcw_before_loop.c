// expect-error: A0410
void f(int n, const float *restrict a, float *restrict b)
{
    int i;
    #pragma acc parallel loop present(a, b)
    #pragma acc fcw FETCH_ONLY(a[i:1:1])
    for (i = 1; i < n - 1; i++)
        b[i] = a[i - 1] + a[i + 1];
}
