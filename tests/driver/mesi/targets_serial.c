#include <stdio.h>
#define N 1500

static int x[N], y[N], z[N];

static void reversed(int n, const int *from, int *to)
{
    for (int i = 0; i < n; i++)
        to[i] = from[n - 1 - i] + 1;
}

int main(void)
{
    const int n = N / 2;
    for (int i = 0; i < N; i++) {
        x[i] = i % 17;
        y[i] = i % 13;
    }
    reversed(n, x, x + n);
    reversed(n, y, z);
    reversed(n, y + n, z + n);
    long sum = 0;
    for (int i = 0; i < N; i++)
        sum = (sum * 3 + x[i] + 7 * z[i]) % 1000003;
    printf("%ld %d\n", sum, z[N - 1]);
    return 0;
}
