// expect-error: A0466 A0466 A0466 A0466 A0466 A0466 A0467
// Addresses that go where they are not followed.
#include <cstdlib>
#define N 100
__global__ int a[N], *p, n;
struct Table {
    int *values;
};
void send(int *values, int count);
int *receive(int count);

__global__ void add(int *to)
{
    to[threadIdx.x] += n;
}

int *first()
{
    return a;
}

int main()
{
    Table table;
    table.values = a;
    send(a, N);
    p = receive(N);
    add<<<1, n>>>(&a[0] == p ? a : p);
    while (n < 5) {
        auto run = [&] { add<<<1, 32>>>(a); };
        run();
        n++;
    }
    auto kernel = add;
    add<<<1, 32>>>(a), add<<<1, 32>>>(a);
    return a[0];
}
