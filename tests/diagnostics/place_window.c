// expect-error: A0533 A0533 A0533
// options: --place a=window --place next=window --place list=window
void search(int n, const float *restrict a, const int *restrict next, const float *restrict list,
            float *restrict out)
{
    #pragma acc parallel loop copyin(a[0:n * n], next[0:n], list[0:n]) copy(out[0:n])
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            if (list[k] < 0)
                break;
        int at = i;
        for (int step = 0; step < n; step++)
            at = next[at];
        out[at] = a[i * n];
    }
}
