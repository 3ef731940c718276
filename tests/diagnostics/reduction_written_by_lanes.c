// expect-error: A0402
// An array of the gang that lanes reduce in one loop and write in another.
void bins(int n, const int *restrict a, int *restrict b)
{
    #pragma acc parallel num_gangs(1) vector_length(32) copyin(a[0:n]) copy(b[0:3])
    {
        int r[3] = {1, 2, 3};
        #pragma acc loop vector reduction(+:r)
        for (int i = 0; i < n; i++)
            r[i % 3] += a[i];
        #pragma acc loop vector
        for (int i = 0; i < 3; i++)
            r[i] = r[i] + 5;
        #pragma acc loop vector
        for (int i = 0; i < 3; i++)
            b[i] += r[2 - i];
    }
}
