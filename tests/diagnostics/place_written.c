// expect-error: A0533
// options: --place taps=constant
void scale(int n, float *restrict taps)
{
    #pragma acc parallel loop copy(taps[0:n])
    for (int i = 0; i < n; i++)
        taps[i] *= 2;
}
