// expect-error: A0505 A0505 A0505
#pragma acc routine seq
float middle(int n)
{
    float line[n];
    for (int i = 0; i < n; i++)
        line[i] = i;
    return line[n / 2];
}

void f(int n, int *lengths, float *restrict a)
{
    #pragma acc parallel loop copy(a[0:n]) copyin(lengths[0:n])
    for (int i = 1; i < n; i++) {
        float below[i], some[lengths[i]];
        below[0] = some[0] = 1;
        a[i] = below[0] + some[0] + middle(n);
    }
}
