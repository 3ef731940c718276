// expect-error: A0402 A0409 A0409
#pragma acc routine vector
void count(int n, const int *keys, int *bins)
{
    #pragma acc loop vector reduction(+:bins[0:8])
    for (int i = 0; i < n; i++)
        bins[keys[i]]++;
}

void f(int n, const int *keys, int *bins, int **rows, float *where)
{
    #pragma acc parallel loop copyin(keys[0:n]) reduction(+:rows[0:8][0:n])
    for (int i = 0; i < n; i++)
        rows[keys[i]][i]++;
    #pragma acc parallel loop copyin(keys[0:n]) reduction(|:where[0:8])
    for (int i = 0; i < n; i++)
        where[keys[i]]++;
}
