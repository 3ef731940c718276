// expect-error: A0407 A0406 A0434
float table[4];
#pragma acc cache(table[0:4])
void f(int n, float *restrict a, const float *restrict b)
{
    #pragma acc cache(a[0:n])
    #pragma acc parallel loop present(a, b)
    for (int i = 1; i < n - 1; i++) {
        if (i > 1) {
            #pragma acc cache(b[i:1])
            a[i] = b[i];
        }
        for (int j = 0; j < n; j++) {
            #pragma acc cache(b)
            #pragma acc cache(always: b[j:1])
            #pragma acc cache(n)
            a[i] += b[j];
        }
    }
}
