// expect-error: A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0406 A0406 A0401 A0203 A0203 A0203 A0203
// Clauses without parentheses whose names are misspelt, too, and operators outside of theirs.
void f(int n, float *restrict a, float *restrict b)
{
    float s = 0;
    #pragma acc parallel loop num_gang 4 copyin(b[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop copyn b[0:n]
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop copy_out a[0:n]
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc data copyin b[0:n], copyout a[0:n]
    {
        #pragma acc parallel loop reduction + s
        for (int i = 0; i < n; i++)
            s += b[i];
        #pragma acc parallel loop reduction +(s)
        for (int i = 0; i < n; i++)
            s += b[i];
    }
    #pragma acc parallel loop firstprivat s copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = s;
    #pragma acc parallel loop reduction max s
    for (int i = 0; i < n; i++)
        s = b[i] > s ? b[i] : s;
    #pragma acc dat copyout a[0:n]
    {
        #pragma acc parallel loop reduction(+:s s)
        for (int i = 0; i < n; i++)
            s += a[i] = b[i];
    }
    #pragma acc parallel loop async(1 2) tile(4 4)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i] = b[j];
}
