/*
 * The same decompositions left to right: every value is finished at once by its whole row and
 * column, in the order of the steps that a decomposition from the outside takes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const int n = atoi(argv[2]);
    const int pivoted = strcmp(argv[1], "parallel") == 0, many = strcmp(argv[1], "batch") == 0;
    const int batch = many ? atoi(argv[3]) : 1;
    FILE *output = fopen(argv[4], "w");
    double (*a)[n] = malloc(sizeof(double[n][n])), *growth = malloc(sizeof(double[batch]));
    int *pivot = malloc(sizeof(int[n]));
    if (output == NULL || a == NULL || growth == NULL || pivot == NULL)
        return 2;
    for (int m = 0; m < batch; m++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[pivoted ? (i * 2 + 1) % n : i][j] = i == j ? 9.0 * n + m : (7 * i * i + 13 * j + 3 * i * j + m) % 17 - 8;
        for (int j = 0; j < n; j++) {
            /* The column before: its pivots are known, so the rows of this one are where they belong. */
            for (int i = 1; i < n; i++)
                for (int k = 0; k < i && k < j; k++)
                    a[i][j] -= a[i][k] * a[k][j];
            int row = j;
            for (int i = j + 1; pivoted && i < n; i++)
                if (fabs(a[i][j]) > fabs(a[row][j]))
                    row = i;
            pivot[j] = row;
            for (int k = 0; row != j && k < n; k++) {
                const double kept = a[j][k];
                a[j][k] = a[row][k];
                a[row][k] = kept;
            }
            for (int i = j + 1; i < n; i++)
                a[i][j] = pivoted ? a[i][j] / a[j][j] : a[i][j] * (1.0 / a[j][j]);
        }
        growth[m] = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                growth[m] = fmax(growth[m], fabs(a[i][j]));
        for (int k = 0; pivoted && k < n; k++)
            fprintf(output, "%d\n", pivot[k]);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                fprintf(output, "%a\n", a[i][j]);
    }
    for (int m = 0; batch > 1 && m < batch; m++)
        fprintf(output, "%a\n", growth[m]);
    fclose(output);
    free(a);
    free(growth);
    free(pivot);
    return 0;
}
