// expect-error: A0520 A0520 A0520 A0520
void f(int n, const float *restrict a, float *restrict b, float *restrict r)
{
    /* Each iteration of the outer loop has several threads. */
    #pragma acc kernels loop independent vector(8) present(a, b, r)
    for (int i = 0; i < n; i++) {
        r[i] = 1;
        #pragma acc loop independent vector(32)
        for (int j = 0; j < n; j++) {
            #pragma acc fcw FETCH_ONLY(a[j:0:0])
            b[i * n + j] = a[j];
        }
    }
    /* Memory and a variable at once. */
    #pragma acc parallel loop gang present(a, b, r)
    for (int i = 0; i < n; i++) {
        float old = r[i]++;
        #pragma acc loop vector
        for (int j = 0; j < n; j++) {
            #pragma acc fcw FETCH_ONLY(a[j:0:0])
            b[i * n + j] = a[j] + old;
        }
    }
    /* A sum of which the threads of several rows have parts. */
    #pragma acc kernels loop independent gang present(a, b, r)
    for (int i = 0; i < n; i++) {
        float sum = 0;
        #pragma acc loop independent vector(8) reduction(+:sum)
        for (int k = 0; k < n; k++) {
            #pragma acc loop independent vector(32) reduction(+:sum)
            for (int j = 0; j < n; j++) {
                #pragma acc fcw FETCH_ONLY(a[j:0:0])
                sum += a[j] * k;
            }
        }
        r[i] = sum;
    }
    /* A sum under a condition. */
    #pragma acc parallel loop gang present(a, b, r)
    for (int i = 0; i < n; i++) {
        float sum = 0;
        if (b[i] > 0) {
            #pragma acc loop vector reduction(+:sum)
            for (int j = 0; j < n; j++) {
                #pragma acc fcw FETCH_ONLY(a[j:0:0])
                sum += a[j];
            }
        }
        r[i] = sum;
    }
}
