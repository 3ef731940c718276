/* The matrices of hiCUDA's figure 4, serial C for their product, and how a kernel's result is
   compared with it: every element exactly, since each sums in the serial order. */
#include <string.h>

static double a[64][128], b[128][32], c[64][32];

static double expected(int i, int j, int steps)
{
    double sum = 0;
    for (int k = 0; k < steps; k++)
        sum += a[i][k] * b[k][j];
    return sum;
}

/* 0 if the kernel computes what is expected, or what it is after a mistake. */
static int compare(const char *mistake, void (*kernel)(void))
{
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < 128; k++)
            a[i][k] = 1.0 / (1 + i * 128 + k);
    for (int k = 0; k < 128; k++)
        for (int j = 0; j < 32; j++)
            b[k][j] = 1.0 / (3 + k * 32 + j);
    memset(c, 0xff, sizeof c);
    kernel();
    const int steps = strcmp(mistake, "one step less") == 0 ? 127 : 128;
    const int shift = strcmp(mistake, "a neighbour") == 0;
    if (strcmp(mistake, "one element") == 0)
        c[63][31] += 1.0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 32; j++)
            if (c[i][j] != expected(i, (j + shift) % 32, steps))
                return 1;
    return 0;
}
