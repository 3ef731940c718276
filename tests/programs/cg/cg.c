/*
 * Conjugate gradients with Jacobi's preconditioner for a sparse matrix in compressed rows.
 *
 * usage: cg NX NY ITERATIONS OUTPUT
 *
 * Matrix and vectors stay on the device from the first to the last iteration; what comes back are
 * the scalar products, and the solution at the end.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "matrix.h"

/* The vectors of the iteration, each as long as the matrix has rows. */
struct work {
    double *residual;
    double *direction;
    double *product;
    double *inverse_diagonal;
};

static double *vector(int n)
{
    double *values = malloc((size_t)n * sizeof *values);
    if (values == NULL) {
        fprintf(stderr, "cg: no memory for a vector of %d\n", n);
        exit(2);
    }
    return values;
}

/* y = A x: a row to a gang, its entries to the lanes. */
static void multiply(const struct matrix *a, const double *restrict x, double *restrict y)
{
    const int n = a->rows, entries = a->entries;
    const int *restrict row_start = a->row_start;
    const int *restrict column = a->column;
    const double *restrict value = a->value;

    #pragma acc parallel loop gang vector_length(32) \
        present(row_start[0:n + 1], column[0:entries], value[0:entries], x[0:n], y[0:n])
    for (int row = 0; row < n; row++) {
        double sum = 0.0;
        #pragma acc loop vector reduction(+:sum)
        for (int k = row_start[row]; k < row_start[row + 1]; k++)
            sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

static double dot(int n, const double *restrict x, const double *restrict y)
{
    double sum = 0.0;
    #pragma acc parallel loop reduction(+:sum) present(x[0:n], y[0:n])
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void invert_diagonal(const struct matrix *a, double *restrict inverse)
{
    const int n = a->rows, entries = a->entries;
    const int *restrict row_start = a->row_start;
    const int *restrict column = a->column;
    const double *restrict value = a->value;

    #pragma acc parallel loop present(row_start[0:n + 1], column[0:entries], value[0:entries], inverse[0:n])
    for (int row = 0; row < n; row++)
        for (int k = row_start[row]; k < row_start[row + 1]; k++)
            if (column[k] == row)
                inverse[row] = 1.0 / value[k];
}

/* r = b - A x, p = M r; gives r M r. */
static double start(const struct matrix *a, const double *b, const double *x, struct work w)
{
    const int n = a->rows;
    double *restrict r = w.residual, *restrict p = w.direction;
    const double *restrict q = w.product, *restrict inverse = w.inverse_diagonal;
    double rho = 0.0;

    invert_diagonal(a, w.inverse_diagonal);
    multiply(a, x, w.product);
    #pragma acc parallel loop reduction(+:rho) present(b[0:n], q[0:n], inverse[0:n], r[0:n], p[0:n])
    for (int i = 0; i < n; i++) {
        r[i] = b[i] - q[i];
        p[i] = inverse[i] * r[i];
        rho += r[i] * p[i];
    }
    return rho;
}

/* One iteration; `rho` is r M r before and after. Gives the norm of the residual. */
static double iterate(const struct matrix *a, double *restrict x, struct work w, double *rho)
{
    const int n = a->rows;
    double *restrict r = w.residual, *restrict p = w.direction;
    const double *restrict q = w.product, *restrict inverse = w.inverse_diagonal;

    multiply(a, w.direction, w.product);
    const double alpha = *rho / dot(n, w.direction, w.product);
    double next = 0.0, norm = 0.0;
    #pragma acc parallel loop reduction(+:next, norm) present(x[0:n], r[0:n], p[0:n], q[0:n], inverse[0:n])
    for (int i = 0; i < n; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        next += r[i] * (inverse[i] * r[i]);
        norm += r[i] * r[i];
    }
    const double beta = next / *rho;
    #pragma acc parallel loop present(r[0:n], p[0:n], inverse[0:n])
    for (int i = 0; i < n; i++)
        p[i] = inverse[i] * r[i] + beta * p[i];
    *rho = next;
    return sqrt(norm);
}

static void solve(const struct matrix *a, const double *b, double *x, int iterations)
{
    const int n = a->rows, entries = a->entries;
    const int *row_start = a->row_start, *column = a->column;
    const double *value = a->value;
    struct work w = {vector(n), vector(n), vector(n), vector(n)};

    #pragma acc enter data copyin(row_start[0:n + 1], column[0:entries], value[0:entries])
    #pragma acc enter data copyin(b[0:n], x[0:n]) \
        create(w.residual[0:n], w.direction[0:n], w.product[0:n], w.inverse_diagonal[0:n])
    double rho = start(a, b, x, w);
    for (int k = 0; k < iterations; k++) {
        const double norm = iterate(a, x, w, &rho);
        if (k % 10 == 0)
            printf("iteration %d: residual %.6e\n", k, norm);
    }
    #pragma acc exit data delete(w.residual[0:n], w.direction[0:n], w.product[0:n], w.inverse_diagonal[0:n])
    #pragma acc exit data copyout(x[0:n]) delete(b[0:n])
    #pragma acc exit data delete(row_start[0:n + 1], column[0:entries], value[0:entries])

    free(w.residual);
    free(w.direction);
    free(w.product);
    free(w.inverse_diagonal);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s NX NY ITERATIONS OUTPUT\n", argv[0]);
        return 2;
    }
    const int nx = atoi(argv[1]), ny = atoi(argv[2]), iterations = atoi(argv[3]);
    struct matrix a = matrix_assemble(nx, ny);
    double *b = vector(a.rows), *x = vector(a.rows);
    for (int i = 0; i < a.rows; i++) {
        b[i] = 1 + i % 5;
        x[i] = 0.125 * (i % 3);
    }

    solve(&a, b, x, iterations);

    FILE *output = fopen(argv[4], "w");
    if (output == NULL) {
        perror(argv[4]);
        return 2;
    }
    for (int i = 0; i < a.rows; i++)
        fprintf(output, "%a\n", x[i]);
    fclose(output);
    matrix_free(&a);
    free(b);
    free(x);
    return 0;
}
