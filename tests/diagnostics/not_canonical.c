// expect-error: A0411 A0411 A0411 A0411
void f(int n, int *a, float x)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 1; i < n; i *= 2)
        a[i] = i;
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; a[i] != 0; i++)
        a[i] = i;
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i++] = i;
    #pragma acc parallel loop copy(a[0:n])
    for (float y = 0; y < x; y += 1)
        a[(int)y] = 1;
}
