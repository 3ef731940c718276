// expect-error: A0462 A0462 A0462
// A pragma without a number, with half an expression, and before no launch.
__global__ void clear(float *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = 0;
}

void run(float *x, int n)
{
#pragma AUTO-CTA
    clear<<<1, 32>>>(x, n);
#pragma AUTO-CTA (n
    clear<<<1, 32>>>(x, n);
    if (n > 3)
#pragma AUTO-CTA n
        x = nullptr;
#pragma AUTO-CTA n
    clear<<<1, 32>>>(x, n);
}
