// expect-error: A0533 A0533
// options: --place in=read-only --place table=constant --place out=constant --place out=global
void apply(int n, const float *in, float *out, const double *restrict table)
{
    #pragma acc parallel loop copyin(in[0:n], table[0:n]) copy(out[0:n])
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            out[i] += in[i] * table[k];
}
