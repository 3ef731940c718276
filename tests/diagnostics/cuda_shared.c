// expect-error: A0201
// A specifier of CUDA in C.
void f(int n, double *a)
{
    #pragma acc parallel loop gang copy(a[0:n])
    for (int i = 0; i < n; i++) {
        __shared__ double t[32];
        a[i] = t[0] = i;
    }
}
