/*
 * The same cycles on arrays of rows, each transfer between grids written from the other side: the
 * fine points give to the coarse ones, the coarse ones to the fine.
 */
#include <stdio.h>
#include <stdlib.h>

enum { TOP = 16 };

static double u[TOP][300][300], f[TOP][300][300], r[TOP][300][300];
static int rows[TOP], columns[TOP];
static double width[TOP];

static void sweep(int k)
{
    for (int red = 1; red >= 0; red--)
        for (int j = 1; j < rows[k] - 1; j++)
            for (int i = 1; i < columns[k] - 1; i++)
                if (((i + j) % 2 == 0) == red)
                    u[k][j][i] = 0.25 * (u[k][j - 1][i] + u[k][j][i - 1] + u[k][j][i + 1] + u[k][j + 1][i] +
                                         width[k] * width[k] * f[k][j][i]);
}

static void residual(int k)
{
    const double scale = 1.0 / (width[k] * width[k]);
    for (int j = 1; j < rows[k] - 1; j++)
        for (int i = 1; i < columns[k] - 1; i++)
            r[k][j][i] = f[k][j][i] - scale * (4.0 * u[k][j][i] - u[k][j - 1][i] - u[k][j][i - 1] - u[k][j][i + 1] -
                                               u[k][j + 1][i]);
}

static void to_coarse(int k)
{
    for (int j = 2; j < rows[k] - 2; j += 2)
        for (int i = 2; i < columns[k] - 2; i += 2) {
            double (*fine)[300] = r[k];
            const double sides = fine[j][i - 1] + fine[j][i + 1] + fine[j - 1][i] + fine[j + 1][i];
            const double corners = fine[j - 1][i - 1] + fine[j - 1][i + 1] + fine[j + 1][i - 1] + fine[j + 1][i + 1];
            f[k - 1][j / 2][i / 2] = 0.25 * fine[j][i] + 0.125 * sides + 0.0625 * corners;
        }
    for (int j = 0; j < rows[k - 1]; j++)
        for (int i = 0; i < columns[k - 1]; i++)
            u[k - 1][j][i] = 0;
}

static void to_fine(int k)
{
    double (*coarse)[300] = u[k - 1];
    for (int j = 0; j < rows[k - 1]; j++)
        for (int i = 0; i < columns[k - 1]; i++)
            for (int dj = 0; dj < 2; dj++)
                for (int di = 0; di < 2; di++) {
                    const int row = 2 * j + dj, column = 2 * i + di;
                    if (row < 1 || row >= rows[k] - 1 || column < 1 || column >= columns[k] - 1)
                        continue;
                    u[k][row][column] +=
                        0.25 * (coarse[j][i] + coarse[j][i + di] + coarse[j + dj][i] + coarse[j + dj][i + di]);
                }
}

static void v_cycle(int top)
{
    for (int k = top; k > 0; k--) {
        sweep(k);
        sweep(k);
        residual(k);
        to_coarse(k);
    }
    for (int s = 0; s < 40; s++)
        sweep(0);
    for (int k = 1; k <= top; k++) {
        to_fine(k);
        sweep(k);
    }
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    const int top = atoi(argv[3]) - 1, cycles = atoi(argv[4]);
    FILE *output = fopen(argv[5], "w");
    if (output == NULL)
        return 2;
    for (int k = 0, cells_x = atoi(argv[1]), cells_y = atoi(argv[2]); k <= top; k++, cells_x *= 2, cells_y *= 2) {
        columns[k] = cells_x + 1;
        rows[k] = cells_y + 1;
        width[k] = 1.0 / cells_x;
    }
    for (int c = 0; c < cycles; c++) {
        for (int j = 1; j < rows[top] - 1; j++)
            for (int i = 1; i < columns[top] - 1; i++)
                f[top][j][i] = (c < cycles / 2 ? 1.0 : -2.0) * (1 + (3 * i + 5 * j) % 11);
        v_cycle(top);
        residual(top);
        double largest = 0;
        for (int j = 0; j < rows[top]; j++)
            for (int i = 0; i < columns[top]; i++) {
                const double size = r[top][j][i] < 0 ? -r[top][j][i] : r[top][j][i];
                largest = size > largest ? size : largest;
            }
        fprintf(output, "%a\n", largest);
        for (int i = 0; i < columns[top]; i++)
            fprintf(output, "%a\n", u[top][rows[top] / 2][i]);
    }
    for (int j = 0; j < rows[top]; j++)
        for (int i = 0; i < columns[top]; i++)
            fprintf(output, "%a\n", u[top][j][i]);
    fclose(output);
    return 0;
}
