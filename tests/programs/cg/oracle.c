/*
 * The same iterations without a matrix: its product is summed over the couplings, one after the
 * other. Compiled alone, with no directive.
 */
#include <stdio.h>
#include <stdlib.h>

static int nx, ny, n;

static double coupling(int low, int high)
{
    return 0.25 * (1 + (low * 5 + high * 3) % 8);
}

static void couple(int low, int high, const double *x, double *y)
{
    const double flow = coupling(low, high) * (x[low] - x[high]);
    y[low] += flow;
    y[high] -= flow;
}

/* Whether `high` is the next cell of `low` to the right or above. */
static int adjacent(int low, int high)
{
    return (high == low + 1 && high % nx != 0) || high == low + nx;
}

static void apply(const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
    for (int j = 0; j < ny; j++)
        for (int i = 0; i + 1 < nx; i++)
            couple(j * nx + i, j * nx + i + 1, x, y);
    for (int i = 0; i < n - nx; i++)
        couple(i, i + nx, x, y);
    for (int i = 0; i < n - 1 - i; i += 7)
        if (!adjacent(i, n - 1 - i))
            couple(i, n - 1 - i, x, y);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    nx = atoi(argv[1]);
    ny = atoi(argv[2]);
    n = nx * ny;
    const int iterations = atoi(argv[3]);
    double *work = calloc(7 * (size_t)n, sizeof *work);
    double *x = work, *r = x + n, *z = r + n, *p = z + n, *q = p + n, *ones = q + n, *diagonal = ones + n;
    /* Column by column would do too; the diagonal is 1 and the couplings of the cell. */
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            ones[k] = 0;
        ones[i] = 1;
        apply(ones, q);
        diagonal[i] = q[i];
        x[i] = 0.125 * (i % 3);
    }
    apply(x, q);
    double rho = 0;
    for (int i = 0; i < n; i++) {
        r[i] = 1 + i % 5 - q[i];
        z[i] = p[i] = r[i] / diagonal[i];
        rho += r[i] * z[i];
    }
    for (int k = 0; k < iterations; k++) {
        double pq = 0, next = 0;
        apply(p, q);
        for (int i = 0; i < n; i++)
            pq += p[i] * q[i];
        for (int i = 0; i < n; i++) {
            x[i] += rho / pq * p[i];
            r[i] -= rho / pq * q[i];
            z[i] = r[i] / diagonal[i];
            next += r[i] * z[i];
        }
        for (int i = 0; i < n; i++)
            p[i] = z[i] + next / rho * p[i];
        rho = next;
    }
    FILE *output = fopen(argv[4], "w");
    if (output == NULL)
        return 2;
    for (int i = 0; i < n; i++)
        fprintf(output, "%a\n", x[i]);
    fclose(output);
    free(work);
    return 0;
}
