// expect-error: A0431 A0431
void f(int n, const float *restrict a, float *restrict b)
{
    #pragma acc parallel loop gang present(a, b)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[0:0:31])
        #pragma acc loop vector
        for (int j = 0; j < 32; j++)
            b[i * 32 + j] = a[j];
        #pragma acc fcw FETCH_ONLY(a[i:0:0])
        {
            #pragma acc loop seq
            for (int j = 0; j < 32; j++)
                b[i] = a[j];
            if (n > 2) {
                #pragma acc loop worker
                for (int j = 0; j < 32; j++)
                    b[i] = a[j];
            }
        }
    }
}
