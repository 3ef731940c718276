// expect-error: A0407 A0407 A0407
void f(int n, int *a, double (*m)[8])
{
    #pragma acc parallel loop copy(a)
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop copy(a[0:n][0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop copy(m[0:n][2:3])
    for (int i = 0; i < n; i++)
        m[i][2] = i;
}
