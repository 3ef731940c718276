// expect-error: A0533 A0533
// options: --place first=constant --place second=constant --place huge=constant
float first[10000], second[10000], huge[20000];

void apply(int n, float *restrict out)
{
    #pragma acc parallel loop copyin(first, second, huge) copy(out[0:n])
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 10000; k++)
            out[i] += first[k] * second[k] + huge[2 * k];
}
