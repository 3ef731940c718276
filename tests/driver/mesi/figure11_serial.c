/* What figure 11 computes. */
#include <stdio.h>
#define N 34
#define T 5
static float a[N][N][N], b[N][N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                a[i][j][k] = (i * 7 + j * 5 + k * 3) % 11;
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    b[i][j][k] = (a[i - 1][j][k] + a[i + 1][j][k] + a[i][j - 1][k] + a[i][j + 1][k] +
                                  a[i][j][k - 1] + a[i][j][k + 1]) / 6 + a[i][j][k] / 2;
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    a[i][j][k] = b[i][j][k];
    }
    for (int i = 0; i < N; i += 3)
        for (int j = 0; j < N; j += 2)
            printf("%.9g %.9g\n", a[i][j][j], a[j][i][N - 1 - i]);
    return 0;
}
