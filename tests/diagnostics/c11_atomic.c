// expect-error: A0418
void count(int n, _Atomic int *histogram, const int *values, const _Atomic int *limit)
{
    #pragma acc parallel loop copy(histogram[0:8]) copyin(values[0:n], limit[0:1])
    for (int i = 0; i < n; i++)
        if (values[i] < *limit)
            histogram[values[i] % 8]++;
}
