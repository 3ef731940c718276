/* Nests whose accesses have every kind of stride, in arrays of fixed and of run-time extents. */
#include <stdio.h>
#include <stdlib.h>

#define PLANES 5
#define ROWS 37
#define COLUMNS 45

struct pair {
    double first;
    float second;
};

static double cube[PLANES][ROWS][COLUMNS], moved[COLUMNS][PLANES][ROWS];

static void planes(void)
{
    #pragma acc parallel loop collapse(3) copyin(cube) copyout(moved)
    for (int i = 0; i < PLANES; i++)
        for (int j = 0; j < ROWS; j++)
            for (int k = 0; k < COLUMNS; k++)
                moved[k][i][j] = 2 * cube[i][j][k];
}

/* Neighbours in memory differ in the outer loop. */
static void columns(int n, const float *restrict a, float *restrict b)
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n * n]) copyout(b[0:n * n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < 7; k++)
                sum += a[k * n + i];
            b[j * n + i] =
                sum;
        }
}

static void records(int n, const struct pair *restrict pairs, double (*restrict sums)[3],
                    const char *restrict bytes)
{
    #pragma acc parallel loop copyin(pairs[0:n], bytes[0:2 * n]) copyout(sums[0:n][0:3])
    for (int i = 0; i < n; i++) {
        sums[i][0] = pairs[i].second;
        sums[i][1] =
            pairs[n - 1 - i].first;
        sums[i][2] =
            bytes[2 * i + 1];
    }
}

/* Every second iteration, downwards. */
static void steps(int n, float *restrict a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = n - 1; i > 0; i -= 2)
        a[i] =
            a[i - 1];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 201;
    float *a = malloc(sizeof(float) * n * n), *b = malloc(sizeof(float) * n * n);
    struct pair *pairs = malloc(sizeof(struct pair) * n);
    double (*sums)[3] = malloc(sizeof(double[3]) * n);
    char *bytes = malloc(2 * n);

    for (int i = 0; i < n * n; i++)
        a[i] = i % 17;
    for (int i = 0; i < n; i++) {
        pairs[i] = (struct pair){i, 2 * i};
        bytes[2 * i] = bytes[2 * i + 1] = i % 100;
    }
    for (int i = 0; i < PLANES * ROWS * COLUMNS; i++)
        (&cube[0][0][0])[i] = i;
    planes();
    columns(n, a, b);
    records(n, pairs, sums, bytes);
    steps(n, a);
    printf("%g %g %g %g %g %g\n", moved[44][4][36], b[n * n - 1], sums[n - 1][0], sums[n - 1][1],
           sums[n - 1][2], a[n - 1]);
    free(a);
    free(b);
    free(pairs);
    free(sums);
    free(bytes);
    return 0;
}
