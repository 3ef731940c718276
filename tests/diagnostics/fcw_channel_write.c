// expect-error: A0440 A0440 A0440 A0440 A0440 A0440 A0440
void f(int n, int *restrict a, int *restrict b)
{
    #pragma acc parallel loop vector_length(64) present(a, b)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_CHANNEL(a[i:0:1])
        {
            a[i] = a[i + 1] = 1;
            b[i] = a[i]++;
            b[i] && (a[i] = 2);
            b[i] ? a[i] = 2 : 0;
            if ((a[i] = b[i]) > 0)
                a[i] = 3;
            for (a[i] = 0; a[i] < 9; a[i]++)
                b[i]++;
        }
    }
}
