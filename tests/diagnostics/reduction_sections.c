// expect-error: A0409 A0409
void f(int n, const int *keys, int *bins, int **rows, float *where)
{
    #pragma acc parallel loop copyin(keys[0:n]) reduction(+:rows[0:8][0:n])
    for (int i = 0; i < n; i++)
        rows[keys[i]][i]++;
    #pragma acc parallel loop copyin(keys[0:n]) reduction(|:where[0:8])
    for (int i = 0; i < n; i++)
        where[keys[i]]++;
}
