/* What figures 7 and 8 compute. */
#include <stdio.h>
#define N 96
static int ga[N][N], gb[N][N], gc[N][N];

static void matmul(void)
{
    for (int row = 0; row < N; row++)
        for (int col = 0; col < N; col++) {
            gc[row][col] = 0;
            for (int k = 0; k < N; k++)
                gc[row][col] += ga[row][k] * gb[k][col];
        }
}

void init_array(int d[N][N], int factor)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            d[i][j] = (i * factor + j) % 7;
}

void output_array(int d[N][N])
{
    long sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += d[i][j] * (i + 3 * j);
    printf("%ld\n", sum);
}

int main()
{
    init_array(ga, 2);
    init_array(gb, 3);
    matmul();
    output_array(gc);
    return 0;
}
