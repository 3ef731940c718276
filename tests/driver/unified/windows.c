#include <stdio.h>
#include <stdlib.h>

/* All pairs, of arrays that no clause has the extents of: the tiles of `bodies` that blocks fetch end
   where the memory does. */
struct body {
    int x, y, mass;
};

static void attract(int n, const struct body *restrict bodies, long *restrict force)
{
#pragma acc parallel loop present(bodies, force)
    for (int i = 0; i < n; i++) {
        long sum = 0;
        for (int j = 0; j < n; j++)
            sum += bodies[j].mass * (bodies[j].x - bodies[i].x) + (bodies[j].y - bodies[i].y);
        force[i] = sum;
    }
}

/* A stencil, of arrays behind pointers in a structure. */
struct grid {
    int rows, columns;
    float *now, *next;
};

static void step(struct grid *g, int rows, int columns)
{
    const float *restrict now = g->now;
    float *restrict next = g->next;
#pragma acc parallel loop collapse(2) present(now, next)
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++)
            next[i * columns + j] = now[i * columns + j] + now[(i - 1) * columns + j] + now[(i + 1) * columns + j] +
                                    now[i * columns + j - 1] + now[i * columns + j + 1];
}

/* Sections that overlap, one after the other and one within the other. */
static long sections(int n, int *a)
{
    long sum = 0;
#pragma acc enter data copyin(a[0:n / 2])
#pragma acc enter data copyin(a[n / 4:n / 2])
#pragma acc data copy(a[n / 3:n / 2])
#pragma acc parallel loop copy(a[n / 8:n / 2])
    for (int i = 0; i < n; i++) /* beyond the section, too */
        a[i] += i;
#pragma acc parallel loop reduction(+ : sum) present(a[0:n])
    for (int i = 0; i < n; i++)
        sum += a[i];
#pragma acc exit data copyout(a[0:n])
    return sum;
}

/* Every third element of every second row. */
static void strided(int rows, int columns, double (*restrict a)[columns])
{
#pragma acc data copyin(a[1:rows - 1])
    {
#pragma acc parallel loop collapse(2)
        for (int i = 1; i < rows; i += 2)
            for (int j = 2; j < columns - 1; j += 3)
                a[i][j] += 100;
#pragma acc update self(a[1:2][2:3])
    }
}

int main(void)
{
    enum { rows = 45, columns = 77 };
    struct grid g = {rows, columns, malloc(rows * columns * sizeof(float)), calloc(rows * columns, sizeof(float))};
    for (int i = 0; i < rows * columns; i++)
        g.now[i] = i % 17;
    for (int t = 0; t < 3; t++) {
        step(&g, rows, columns);
        float *swapped = g.now;
        g.now = g.next;
        g.next = swapped;
    }
    double checksum = 0;
    for (int i = 0; i < rows * columns; i++)
        checksum += g.now[i] * (i % 13);
    printf("stencil %.1f\n", checksum);

    enum { n = 1000 };
    struct body *bodies = malloc(n * sizeof *bodies);
    long *force = malloc(n * sizeof *force), all = 0;
    for (int i = 0; i < n; i++) {
        bodies[i].x = i * 7 % n;
        bodies[i].y = i % 19;
        bodies[i].mass = i % 23;
    }
    attract(n, bodies, force);
    for (int i = 0; i < n; i++)
        all += force[i] * (i % 5);
    printf("attract %ld\n", all);

    int *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = 3 * i;
    printf("sections %ld\n", sections(n, a));
    printf("again %ld\n", sections(n, a));

    static double b[20][30];
    strided(20, 30, b);
    checksum = 0;
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++)
            checksum += b[i][j] * (i * 30 + j);
    printf("strided %.1f\n", checksum);
    return 0;
}
