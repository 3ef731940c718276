// expect-error: A0418 A0418
// Calls of CUDA in a kernel of a directive, each with what is written instead.
void f(int n, double *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        atomicAdd(&a[0], 1.0);
        __syncthreads();
    }
}
