// expect-error: A0301
// Names of CUDA in a kernel of a directive, each with what is written instead.
void f(int n, double *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[threadIdx.x + blockIdx.x * blockDim.x] = a[i];
}
