// expect-error: A0417 A0417 A0417
// Pragmas of others and words that begin no directive are none of ours.
#pragma ac optimize
#pragma GCC optimize("O2")
void f(int n, float *restrict a, const float *restrict b)
{
    #pragma openacc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma ac parallel loop
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    #pragma ACC kernels
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    #pragma accparallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    #pragma acc_parallel loop
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    #pragma !$acc kernels loop
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i] += b[i];
    #pragma acc parallel loop default(none)
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}
