// expect-error: A0467 A0467 A0467 A0467 A0467 A0467 A0467
// Logical grids and their kernels.
#define N 100
__global__ int a[N][N];

__global__ void rows(int count)
{
    a[lThreadIdx.y][lThreadIdx.x] += count;
}

__global__ void blocks()
{
    a[lThreadIdx.x][threadIdx.x]++;
}

__global__ void members()
{
    a[lThread.x][0]++;
}

template <class T> __global__ void any(T *values)
{
    values[lThreadIdx.x]++;
}

void host()
{
}

int main()
{
    rows<[<N>]>(1);
    rows<<<N, N>>>(2);
    host<[<N>]>();
    int first = lThreadIdx.x;
    blocks<[<N>]>();
    members<[<N>]>();
    return 0;
}
