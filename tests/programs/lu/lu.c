/*
 * LU decomposition of dense matrices in place, row by row in memory.
 *
 * usage: lu VARIANT N BATCH OUTPUT
 *
 * VARIANT says how:
 *   parallel  one matrix with partial pivoting, a parallel construct for each step
 *   kernels   one matrix without pivoting, everything in kernels constructs
 *   batch     BATCH matrices without pivoting, one to a gang
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The row at or below k with the largest value in column k; the first of equals. */
static int find_pivot(int n, const double *restrict a, int k)
{
    double largest = 0.0;
    #pragma acc parallel loop reduction(max:largest) present(a[0:n * n])
    for (int i = k; i < n; i++)
        largest = fmax(largest, fabs(a[i * n + k]));

    int row = n;
    #pragma acc parallel loop reduction(min:row) present(a[0:n * n])
    for (int i = k; i < n; i++)
        if (fabs(a[i * n + k]) == largest)
            row = i < row ? i : row;
    return row;
}

static void swap_rows(int n, double *restrict a, int one, int other)
{
    #pragma acc parallel loop present(a[0:n * n])
    for (int j = 0; j < n; j++) {
        const double kept = a[one * n + j];
        a[one * n + j] = a[other * n + j];
        a[other * n + j] = kept;
    }
}

static void decompose_pivoted(int n, double *restrict a, int *restrict pivot)
{
    #pragma acc data copy(a[0:n * n])
    for (int k = 0; k < n; k++) {
        pivot[k] = find_pivot(n, a, k);
        if (pivot[k] != k)
            swap_rows(n, a, k, pivot[k]);
        /* The factor of a row belongs to its gang, and the row's update to its lanes. */
        #pragma acc parallel loop gang present(a[0:n * n])
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            a[i * n + k] = factor;
            #pragma acc loop vector
            for (int j = k + 1; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j];
        }
    }
}

static void decompose_kernels(int n, double *restrict a)
{
    #pragma acc data copy(a[0:n * n])
    for (int k = 0; k < n - 1; k++) {
        #pragma acc kernels
        {
            const double scale = 1.0 / a[k * n + k];
            #pragma acc loop independent
            for (int i = k + 1; i < n; i++)
                a[i * n + k] *= scale;
            #pragma acc loop independent
            for (int i = k + 1; i < n; i++) {
                #pragma acc loop independent
                for (int j = k + 1; j < n; j++)
                    a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    }
}

/* Every gang has the whole of its matrix to do: the steps one after the other, each in parallel. */
static void decompose_batch(int n, int batch, double (*restrict a)[n][n], double *restrict growth)
{
    #pragma acc parallel loop gang num_workers(4) vector_length(32) copy(a[0:batch]) copyout(growth[0:batch])
    for (int m = 0; m < batch; m++) {
        double largest = 0.0;
        for (int k = 0; k < n; k++) {
            const double scale = 1.0 / a[m][k][k];
            #pragma acc loop worker
            for (int i = k + 1; i < n; i++) {
                const double factor = a[m][i][k] * scale;
                #pragma acc loop vector
                for (int j = k + 1; j < n; j++)
                    a[m][i][j] -= factor * a[m][k][j];
                a[m][i][k] = factor;
            }
        }
        #pragma acc loop worker vector collapse(2) reduction(max:largest)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                largest = fmax(largest, fabs(a[m][i][j]));
        growth[m] = largest;
    }
}

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        fprintf(stderr, "lu: no memory\n");
        exit(2);
    }
    return memory;
}

/* Matrices with a heavy diagonal, which need no pivoting; the pivoted variant gets its rows turned. */
static void fill(int n, int batch, int turn, double *a)
{
    for (int m = 0; m < batch; m++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                const int value = (7 * i * i + 13 * j + 3 * i * j + m) % 17 - 8;
                const int row = turn ? (i * 2 + 1) % n : i;
                a[((size_t)m * n + row) * n + j] = i == j ? 9.0 * n + m : value;
            }
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s parallel|kernels|batch N BATCH OUTPUT\n", argv[0]);
        return 2;
    }
    const char *variant = argv[1];
    const int n = atoi(argv[2]);
    const int batch = strcmp(variant, "batch") == 0 ? atoi(argv[3]) : 1;
    const int pivoted = strcmp(variant, "parallel") == 0;
    if (n < 1 || batch < 1 || (pivoted && n % 2 == 0)) {
        fprintf(stderr, "lu: sizes must be positive, and N odd where there is pivoting\n");
        return 2;
    }
    const size_t count = (size_t)batch * n * n;
    double *a = allocate(count * sizeof *a);
    double *growth = allocate((size_t)batch * sizeof *growth);
    int *pivot = allocate((size_t)n * sizeof *pivot);

    fill(n, batch, pivoted, a);
    if (pivoted)
        decompose_pivoted(n, a, pivot);
    else if (strcmp(variant, "kernels") == 0)
        decompose_kernels(n, a);
    else
        decompose_batch(n, batch, (double (*)[n][n])a, growth);

    FILE *output = fopen(argv[4], "w");
    if (output == NULL) {
        perror(argv[4]);
        return 2;
    }
    for (int k = 0; pivoted && k < n; k++)
        fprintf(output, "%d\n", pivot[k]);
    for (size_t i = 0; i < count; i++)
        fprintf(output, "%a\n", a[i]);
    for (int m = 0; batch > 1 && m < batch; m++)
        fprintf(output, "%a\n", growth[m]);
    fclose(output);
    free(a);
    free(growth);
    free(pivot);
    return 0;
}
