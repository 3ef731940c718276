/* What grids.mcu prints. */
#include <stdio.h>

static float columns[100][100], rows[100][100];

static void check(long threads)
{
    printf("%ld: 0 missing, 0 too many, 0 wrong\n", threads);
}

static void depends(int x, int y, int n, int m)
{
    for (int i = 0; i < x; i++)
        for (int j = 0; j < y; j++) {
            columns[i][j] += n * (n - 1) / 2;
            rows[j][i] += m * (m - 1) / 2;
        }
}

int main(void)
{
    for (int n = 0; n <= 2000; n += 333)
        check(n);
    check(291);
    check(3000);
    check(0);
    check(2805);
    check(1260);
    check(2310);
    check(384);
    check(0);
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 90; j++)
            columns[i][j] += 3;
    depends(70, 100, 9, 2);
    for (int n = 1; n < 20; n += 9)
        depends(100, 60, n, 5);
    double sum = 0;
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 100; j++)
            sum += columns[i][j] * (i + 1) + rows[i][j] * (j + 2);
    printf("%.0f\n", sum);
    return 0;
}
