/* What figure 9 computes. */
#include <stdio.h>
#define N 70
static float lower[N][N], band[N][N], x[N], sums[N][N];

int main(void)
{
    double total = 0;
    for (int i = 0; i < N; i++) {
        x[i] = i % 9 - 3;
        for (int j = 0; j < N; j++) {
            lower[i][j] = (i + 2 * j) % 5;
            band[i][j] = (3 * i + j) % 7;
        }
    }
    for (int row = 0; row < N; row++)
        for (int col = 0; col < N; col++) {
            for (int i = 0; i < N; i++)
                for (int j = 0; j <= i; j++)
                    sums[row][col] += lower[i][j] * x[j];
            for (int i = 1; i < N - 1; i++)
                for (int j = i - 1; j <= i + 1; j++)
                    sums[row][col] += band[i][j] * x[col];
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            total += sums[i][j] * (i + 2 * j);
    printf("%.0f\n", total);
    return 0;
}
