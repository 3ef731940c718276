// expect-error: A0403 A0403 A0406 A0301
// Directives of functions with words in the wrong place: nothing is said of the calls.
float g(float x);
float h(float x);
float k(float x);
#pragma acc routine thread
float twice(float x)
{
    return 2 * x;
}
#pragma acc routine g seq
#pragma acc routine(seq)
float h(float x);
#pragma acc routine(kk) seq
void f(int n, float *restrict a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = g(h(k(twice(a[i]))));
}
