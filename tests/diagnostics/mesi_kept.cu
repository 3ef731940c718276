// expect-error: A0466 A0465 A0465 A0466 A0466 A0466 A0466 A0466 A0466 A0466 A0466 A0466 A0466 A0466 A0467
// Addresses and references to shared memory that are kept, and code that names it where it is not read.
#include <functional>
#include <thread>
#include <vector>
#define N 100
__global__ int a[N], *p;
struct Holder {
    int &value;
};
struct Reader {
    int value;
    Reader() : value(a[2])
    {
    }
};

template <class F> __device__ void apply(F f, int i)
{
    f(i);
}

__device__ void clear(int (&values)[N], int i)
{
    values[i] = 0;
}

__global__ void add()
{
    apply([](int i) { a[i]++; }, threadIdx.x);
    clear(a, threadIdx.x);
}

int sum(int from = a[0]);

void get(int *&to)
{
    to = a;
}

int main()
{
    int *q;
    get(q);
    Holder holder{a[2]};
    auto reference = std::ref(a[3]);
    std::vector<int *> both{a, p};
    std::thread thread(sum, a[1], a);
    auto run = [&kept = a[3]] { return kept; };
    auto give = [](int i) -> int & { return a[i]; };
    size_t number = (size_t)a;
    p = new int[2]{1, 2};
    for (int i = 0; i < 2; i++, add<<<1, 32>>>())
        ;
    return *(int *)number;
}
