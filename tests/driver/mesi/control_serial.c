/* What control.mcu computes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 50
static int a[N], b[N], steps, *list, *other;
static double total;

static void add(int threads, int *to, const int *from, int count)
{
    for (int i = 0; i < threads && i < count; i++)
        to[i] += from[i];
}

static int sum(const int *values, int count)
{
    int all = 0;
    for (int i = 0; i < count; i++)
        all += values[i];
    return all;
}

// Launches with what it is given, and reads it on the host.
static int twice(int *values, int count)
{
    add(count, values, values, count);
    if (values[0] > 4)
        add(count / 2, values, b, count);
    else
        values[1] = -1;
    return values[count - 1];
}

static void halve(int *value)
{
    *value /= 2;
}

static int *squares(int count)
{
    int *made = (int *)calloc(count, sizeof(int));
    for (int i = 0; i < count; i++)
        made[i] = i * i;
    return made;
}

int main(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i + 1;
    }
    // A condition that a launch in the body changes.
    while (steps < 4 && a[1] < 100) {
        add(N, a, b, N);
        steps++;
    }
    printf("%d %d %d\n", steps, a[1], sum(a, N));
    do {
        steps++;
        if (steps % 2)
            continue;
        add(N, b, a, N);
    } while (steps < 9);
    printf("%d %d\n", sum(b, N), steps);
    for (int i = 0; i < 3; i++) {
        switch (i) {
        case 0:
            add(N, a, b, N);
            break;
        case 1:
            a[7] = 70;
            // falls through
        default:
            add(N - i, b, a, N);
        }
    }
    printf("%d %d\n", sum(a, N), sum(b, N));
    printf("%d\n", twice(a + 3, N - 3));
    printf("%d\n", twice(&b[10], 20));
    // Memory that pointers are given, grown, exchanged and freed.
    list = squares(N);
    other = (int *)malloc(N * sizeof(int));
    memset(other, 0, N * sizeof(int));
    add(N, other, list, N);
    list = (int *)realloc(list, 2 * N * sizeof(int));
    memcpy(list + N, other, N * sizeof(int));
    int *swap = list;
    list = other;
    other = swap;
    add(N, list, other + N, N);
    int *at = list + 5;
    *at = 1000;
    at[1]++;
    add(2 * N, other, other, 2 * N);
    printf("%d %d\n", sum(list, N), sum(other, 2 * N));
    if (twice(list, 9) > 3 && list[1])
        list[2] = twice(list, 9);
    printf("%d\n", list[2] * 3);
    steps = 41;
    halve(&steps);
    steps++;
    halve(&steps);
    for (int i = 0; i < N; ++i)
        total += list[i] > 0 ? other[i] : b[i];
    printf("%d %.0f\n", steps, total);
    free(other);
    free(list);
    return 0;
}
