// expect-error: A0203 A0203 A0203 A0203 A0203 A0406 A0406
// Labels and queues without parentheses, labels that stand twice, and a misspelt clause with brackets.
void f(int n, float *restrict a, float *restrict b)
{
    #pragma acc data copy(a[0:n], b[0:n])
    {
        #pragma acc parallel loop gang static:4
        for (int i = 0; i < n; i++)
            a[i] += b[i];
        #pragma acc parallel loop gang vector length: 128
        for (int i = 0; i < n; i++)
            a[i] += b[i];
        #pragma acc parallel loop async n 1
        for (int i = 0; i < n; i++)
            a[i] += b[i];
        #pragma acc wait queues: 1
        #pragma acc parallel loop copyn [b]
        for (int i = 0; i < n; i++)
            a[i] += b[i];
        #pragma acc parallel loop gang(static:4, static:8)
        for (int i = 0; i < n; i++)
            a[i] += b[i];
        #pragma acc kernels loop gang(num:4, num:8)
        for (int i = 0; i < n; i++)
            a[i] += b[i];
    }
}
