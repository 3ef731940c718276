/* What named.mcu computes. */
#include <stdio.h>
#include <stdlib.h>

static float factor = 2.0f, lookup[40], *data, scale = 1.5f;
static int hits, last, offset = 3;
static unsigned n;

static void step(int more)
{
    for (unsigned i = 0; i < n; i++) {
        hits += data[i] > scale;
        data[i] = data[i] * factor + lookup[i % 40] + offset + more;
    }
}

static void bump(void)
{
    for (int i = 0; i < 40; i++)
        lookup[i] += factor;
    last = last * 2 + (int)lookup[39];
}

int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : 1000;
    data = malloc(n * sizeof(float));
    for (unsigned i = 0; i < n; i++)
        data[i] = i % 5;
    bump();
    step(7);
    bump();
    factor *= 2;
    offset--;
    step(1);
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += data[i] * (i % 3);
    printf("%.1f %d %d %.1f\n", sum, hits, last, lookup[3]);
    free(data);
    return 0;
}
