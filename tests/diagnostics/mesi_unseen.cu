// expect-error: A0466 A0466 A0467 A0466 A0466 A0466 A0466 A0466 A0466 A0466 A0466 A0466
// Uses of shared memory, and launches, where what is stale would not be seen.
#define ADD(x) add<<<1, 2>>>(x, x)
#define VALUE get(1)
#define ANY(kernel) kernel<[<3>]>()
__global__ int a[9], b[9], s;
__global__ void add(int *to, const int *from)
{
    to[lThreadIdx.x] += from[lThreadIdx.x];
}
__device__ int get(int i)
{
    return a[i];
}

int step()
{
    add<[<8>]>(a, b);
    return 1;
}

struct Setup {
    int a;
    int *b;
    Setup(int value) : a(value), b{&a}
    {
        step();
    }
};

int operator+(Setup, int i)
{
    return a[i];
}

int *alias = a;

int main()
{
    int (*function)() = step;
    auto run = [&] { step(); };
    for (int &element : a) {
        step();
        element++;
    }
    if (step())
        a[1]++;
#ifdef OTHER
#pragma unroll
#endif
        for (int i = 0; i < 3; i++)
            a[i]++;
    return 0;
}

void choose()
{
    if (s)
#ifdef OTHER
        a[0] = 3;
#else
        a[0] = 4;
#endif
#ifdef OTHER
    if (s) {
#else
    if (!s) {
#endif
        a[1] = 3;
    }
}
