/* What host.mcu prints. */
#include <stdio.h>

struct point {
    float x, y;
    int n;
};
static int a[10], b[10];
static struct point points[10];

static void add(int *to, const int *from)
{
    for (int i = 0; i < 8; i++)
        to[i] += from[i];
}

static void move(int count, float by)
{
    for (int i = 0; i < count; i++) {
        points[i].x += by;
        points[i].n++;
    }
}

static int step(void)
{
    add(a, b);
    return a[1];
}

static void exceptions(void)
{
    a[0] = 1;
    add(a, b);
    add(a, a);
    printf("two %d\n", a[0]);
    add(a, a);
    printf("%d\n", a[0]);
}

static void references(void)
{
    a[2] = 3;
    add(a, a);
    int sum = a[2];
    for (int i = 0; i < 10; i++)
        a[i] += 1;
    add(a, a);
    for (int i = 0; i < 10; i++)
        sum += a[i];
    printf("%d %d\n", sum, a[2]);
}

static void structures(void)
{
    const struct point one = {1, 2, 3}, zero = {0, 2, 4};
    for (int i = 0; i < 10; i++)
        points[i] = one;
    move(10, 2);
    printf("%g\n", points[3].x + points[3].y);
    points[4] = zero;
    move(10, 1);
    /* The fourth is the least. */
    struct point copy = points[4];
    points[4] = points[0];
    points[0] = copy;
    for (int i = 0; i < 10; i++)
        b[i] = 7;
    printf("%g %d %g %g %d\n", copy.x, copy.n, copy.x, points[0].x, 7);
}

static void lambdas(void)
{
    a[0] = 3;
    add(a, a);
    add(b, a);
    printf("%d %d\n", a[0], b[0] + a[0]);
    for (int i = 0; i < 3; i++)
        a[i] += b[0];
    add(a, a);
    printf("%d\n", a[0]);
}

static void conditions(void)
{
    a[1] = 4;
    step();
    printf("%d %d\n", a[1] + 1, a[0] - a[1]);
    step();
    for (int i = 0; i < 8; i++)
        a[i]++;
    add(b, a);
    for (int i = 0; i < 8; i++)
        b[i]++;
    if (a[1] % 2)
        add(a, b);
    printf("%d %d\n", a[1], b[1]);
    if (a[0] > 2)
        add(a, b);
    else
        a[0] = 2;
    do
        add(a, a);
    while (a[0] < 100);
    printf("%d\n", a[0]);
    printf("%d\n", step());
}

int main(void)
{
    exceptions();
    references();
    structures();
    lambdas();
    conditions();
    return 0;
}
