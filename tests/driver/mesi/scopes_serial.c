/* What scopes.mcu computes. */
#include <stdio.h>
#include <stdlib.h>
#define N 16

static int a[N], b[N], marks[4];

static void add(int by)
{
    for (int i = 0; i < N; i++)
        a[i] += by;
}

static void mix(void)
{
    for (int i = 0; i < N; i++)
        b[i] = a[i] * 2 + marks[i % 4];
}

static void fill(int *to, int from)
{
    for (int i = 0; i < N; i++)
        to[i] = from + i;
}

static int sum(const int *values, int count)
{
    int all = 0;
    for (int i = 0; i < count; i++)
        all += values[i];
    return all;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        a[i] = 7;
    add(2);
    printf("%d\n", sum(a, N));
    for (int i = 0; i < 4; i++)
        marks[i] = 5 + i;
    mix();
    printf("%d\n", sum(b, N));
    a[0] = 4;
    for (int i = 0; i < 4; i++)
        b[i] = 9;
    a[1] = 6;
    printf("%d\n", 3);
    add(1);
    a[2]++;
    printf("%d\n", 3);
    mix();
    printf("%d %d\n", a[0], a[1]);

    int own[N], more[N];
    fill(own, 3);
    printf("%d\n", sum(own, N));
    fill(more, 1);
    printf("%d %d\n", sum(more, N), sum(b, N));
    return 0;
}
