/*
 * Threads as one writes them by hand first: each has a row of its own, and neighbours in memory are
 * what it goes along in a loop. The stencil is that of Ohno et al., figures 10 and 11.
 */
#include <stdio.h>
#include <stdlib.h>

static void stencil(int n, const float (*restrict a)[n][n], float (*restrict b)[n][n])
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++)
                b[i][j][k] = (a[i][j][k - 1] + a[i][j][k + 1] + a[i][j - 1][k]
                              + a[i][j + 1][k] + a[i - 1][j][k] + a[i + 1][j][k]) / 6;
}

/* Each layer needs the one before. */
static void layers(int n, const float (*restrict w)[n], float (*restrict c)[n][n])
{
    #pragma acc parallel loop copyin(w[0:n]) copy(c[0:n])
    for (int row = 0; row < n; row++)
        for (int layer = 1; layer < n; layer++) {
            const float factor = w[layer][row];
            for (int column = 0; column < n; column++)
                c[layer][row][column] += factor * c[layer - 1][row][column];
        }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 40;
    float (*a)[n][n] = malloc(sizeof(float[n][n][n])), (*b)[n][n] = calloc(n, sizeof(float[n][n]));
    float (*w)[n] = malloc(sizeof(float[n][n]));
    double sum = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            w[i][j] = (i + j) % 3 - 1;
            for (int k = 0; k < n; k++)
                a[i][j][k] = (i * j + k) % 17;
        }
    stencil(n, a, b);
    layers(n, w, b);
    for (int i = 0; i < n * n * n; i++)
        sum += (&b[0][0][0])[i];
    printf("%.9g\n", sum);
    free(a);
    free(b);
    free(w);
    return 0;
}
