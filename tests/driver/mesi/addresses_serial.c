/* What addresses.mcu computes. */
#include <stdio.h>
#include <stdlib.h>
#define N 40

struct cell {
    int count;
    float sides[3];
};

static int a[N], b[N], *p, *q, steps;
static unsigned long long total;
static struct cell cells[N];

static void odd(int by)
{
    for (int i = 0; i < N; i++) {
        if (i % 2)
            a[i] += by;
        else
            b[i] = a[i] + i * 2 + N;
        if (i % 3)
            a[i]++;
        else
            b[i]++;
        a[i] += 1;
        total += a[i];
    }
}

static void shift(int *v)
{
    for (int i = 0; i < N; i++) {
        if (i % 2)
            b[i]++;
        else
            v[i]++;
        cells[i].sides[1] += 0.5f;
        cells[i].count++;
    }
    steps++;
}

static void set(int *v, int to)
{
    for (int i = 0; i < N; i++)
        v[i] = to + i;
}

static int sum(const int *v)
{
    int all = 0;
    for (int i = 0; i < N; i++)
        all += v[i];
    return all;
}

static void exchange(void)
{
    int *r = p;
    p = q;
    q = r;
}

int main(void)
{
    p = malloc(N * sizeof(int));
    q = malloc(N * sizeof(int));
    set(a, 3);
    set(b, 5);
    set(p, 1);
    set(q, 2);
    odd(2);
    printf("%d %d\n", sum(a), b[7]);
    odd(1);
    a[2] = 9;
    b[5] = 70;
    b[0] = 4;
    odd(4);
    shift(p);
    a[7] = b[8] = 1;
    odd(3);
    printf("%d %d %d %llu\n", sum(b), a[7], b[8], total);

    shift(q);
    steps = steps / 2 + 10;
    shift(p);
    steps++;
    shift(p);
    printf("%d %u\n", steps, (unsigned)steps & 3U);

    const int kept = cells[4].count;
    cells[3].count = 20;
    cells[2].sides[1] = 8;
    shift(a);
    printf("%d %d %g %g\n", kept, cells[3].count, cells[2].sides[1], cells[1].sides[1]);

    p[1] = 6;
    exchange();
    p[1] += 1;
    shift(p);
    printf("%d", p[1]);
    exchange();
    printf(" %d", p[1]);
    shift(p);
    for (int i = 0; i < 2; i++) {
        exchange();
        p[1]++;
    }
    printf(" %d %d %d %d\n", p[1], q[1], p[3], sum(p) + sum(q));
    free(p);
    free(q);
    return 0;
}
