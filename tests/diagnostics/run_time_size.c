// expect-error: A0505 A0505
#pragma acc routine vector
float middle(int n, const float *restrict from)
{
    float line[n];
    #pragma acc loop vector
    for (int i = 0; i < n; i++)
        line[i] = from[n - 1 - i];
    return line[n / 2];
}

void f(int n, int *lengths, float *restrict a)
{
    #pragma acc parallel loop gang copy(a[0:n]) copyin(lengths[0:n])
    for (int i = 1; i < n; i++) {
        float below[lengths[i]];
        #pragma acc loop vector
        for (int k = 0; k < lengths[i]; k++)
            below[k] = k;
        a[i] = below[i / 2] + middle(i, a);
    }
}
