// expect-error: A0464
// A reference is found where it is declared; a variable of that name is none.
#include <cstdio>

struct picture {
    int texture;
};

__global__ void copy(float *x, const float *texture, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (texture < x && i < n)
        x[i] = texture[i];
}

static texture<float, 1, cudaReadModeElementType> values;

int main()
{
    std::puts("textures");
}
