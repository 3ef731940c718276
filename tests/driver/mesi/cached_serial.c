/* The same without a device. */
#include <stdio.h>
#include <stdlib.h>
#define COLUMNS 45

static float a[37][70], b[70][COLUMNS], c[37][COLUMNS], d[COLUMNS][37];
static double left[50 * 34], right[50 * 34], both[50 * 33];

static double total(const float *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i] * (1 + i % 7);
    return sum;
}

int main(void)
{
    for (int i = 0; i < 37 * 70; i++)
        a[i / 70][i % 70] = i % 11 - 3;
    for (int i = 0; i < 70 * COLUMNS; i++)
        b[i / COLUMNS][i % COLUMNS] = i % 5 - 1;
    for (int row = 0; row < 37; row++)
        for (int column = 0; column < COLUMNS; column++) {
            float sum = 0, across = 1;
            for (int k = 0; k < 70; k++)
                sum += a[row][k] * b[k][column];
            for (int k = 3; k < 61; k++)
                across += a[row][k] * b[k][column];
            c[row][column] = sum;
            d[column][row] = across;
        }
    printf("%.1f\n%.1f\n", total(&c[0][0], 37 * COLUMNS), total(&d[0][0], 37 * COLUMNS));
    for (int i = 0; i < 50 * 34; i++) {
        left[i] = i % 13;
        right[i] = i % 17 - 4;
    }
    for (int depth = 0; depth < 50; depth += 33) {
        double all = 0;
        for (int i = 0; i < 50; i++)
            for (int j = 0; j < 33; j++) {
                double sum = 0;
                for (int k = 0; k < depth; k++) {
                    sum += left[i * 34 + k] * right[k * 34 + j];
                    sum -= left[i * 34 + k] / 4;
                }
                both[i * 33 + j] = sum;
            }
        for (int i = 0; i < 50 * 33; i++)
            all += both[i] * (1 + i % 7);
        printf("%.2f\n", all);
    }
    for (int row = 0; row < 37; row++)
        for (int column = 0; column < COLUMNS; column++) {
            float sum = 0, some = 0;
            for (int k = 0; k < row + 1; k++)
                sum += a[row][k] * b[k][column];
            for (int k = column + 1; k < 70; k++)
                some += a[row][k] * b[k][column];
            c[row][column] += sum;
            c[row][column] += some;
        }
    printf("%.1f\n", total(&c[0][0], 37 * COLUMNS));
    for (int row = 0; row < 37; row++)
        for (int column = 0; column < 40; column++)
            for (int k = 0; k < 20; k++)
                a[row][column + 30] += a[row][k] * b[k][column];
    printf("%.1f\n", total(&a[0][0], 37 * 70));
    return 0;
}
