// What a person would write for tests/fixtures/nests/matrix_multiplication.c.
__global__ void multiply(int n, int m, int l, const float *__restrict__ a,
                         const float *__restrict__ b, float *__restrict__ c)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < m) {
        float sum = 0.0f;
        for (int k = 0; k < l; k++)
            sum += a[i * l + k] * b[k * m + j];
        c[i * m + j] = sum;
    }
}
