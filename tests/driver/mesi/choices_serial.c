/* What the program in MESI-CUDA says, serially. */
#include <stdio.h>
#include <stdlib.h>
#define N 40

static int a[N], b[N], *p, total;
static const int weights[4] = {1, 2, 3, 4};

static void add(int by)
{
    int *own = by > 2 ? a : b;
    for (int i = 0; i < N; i++)
        own[i] += by * weights[i % 4];
}

static void set(int which)
{
    for (int i = 0; i < N / 2; i++)
        (which ? a : b)[i] = which + 3;
}

static void count(int *v)
{
    for (int i = 0; i < N; i++)
        v[i]++;
    total++;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        a[i] = b[i] = i;
    add(3);
    add(2);
    printf("%d", b[5]);
    add(1);
    printf(" %d %d\n", b[6], a[6]);
    set(1);
    set(0);
    printf("%d %d\n", a[3], b[3]);

    count(b);
    printf("%d", b[7]);
    count(b);
    printf(" %d", b[7]);
    count(a);
    a[2] += 5;
    count(b);
    printf(" %d %d\n", a[2], b[2]);

    int *larger = a[4] < b[4] ? &b[4] : &a[4];
    *larger = 50;
    count(a);
    larger = a[4] < b[4] ? &b[4] : &a[4];
    count(b);
    printf("%d %d %d\n", a[4], b[4], *larger);

    total = total / 2 + 10;
    count(a);
    total = total / 2 + 20;
    a[1] = 77;
    printf("%d %d\n", total, a[0]);

    p = (int *)calloc(N, sizeof(int));
    count(p);
    count(p);
    p[1] += p[0];
    count(p);
    printf("%d %d %d\n", a[1], p[0], p[1]);
    free(p);
    p = (int *)calloc(N, sizeof(int));
    count(p);
    int most = a[0];
    for (int i = 1; i < N; i++)
        most = a[i] > most ? a[i] : most;
    printf("%d %d %d\n", p[3], most, total);
    free(p);
    return 0;
}
