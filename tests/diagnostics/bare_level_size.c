// expect-error: A0203 A0203 A0203 A0203 A0407
void f(int n, float *a, float *b)
{
    #pragma acc parallel loop gang worker 4 copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
    #pragma acc parallel loop vector=128 copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
    #pragma acc parallel loop gang[8] copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
    #pragma acc kernels loop gang=8 copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += 1;
    #pragma acc parallel loop copy(b[0:n][0:n + 1])
    for (int i = 0; i < n; i++)
        b[i] += 1;
}
