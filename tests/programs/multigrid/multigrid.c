/*
 * Multigrid for Poisson's equation on a rectangle, zero on its edge: V-cycles with red-black
 * Gauss-Seidel, full weighting and bilinear interpolation.
 *
 * usage: multigrid COARSE_X COARSE_Y LEVELS CYCLES OUTPUT
 *
 * The coarsest grid has COARSE_X by COARSE_Y cells; each finer one has twice as many a side. All
 * levels live on the device. After each cycle the row through the middle comes back to be watched,
 * and the source is renewed from the host once, half way.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_LEVELS 12
#define SWEEPS_DOWN 2
#define SWEEPS_UP 1
#define SWEEPS_COARSEST 40

/* Points, edges included, and the mesh width. Level 0 is the coarsest. */
struct level {
    int nx, ny;
    double width;
};

static struct level level[MAX_LEVELS];
static double *solution[MAX_LEVELS], *source[MAX_LEVELS], *residual[MAX_LEVELS];

static int points(int k)
{
    return level[k].nx * level[k].ny;
}

static double *field(int k)
{
    double *values = calloc((size_t)points(k), sizeof *values);
    if (values == NULL) {
        fprintf(stderr, "multigrid: no memory for level %d\n", k);
        exit(2);
    }
    return values;
}

static void create_levels(int coarse_x, int coarse_y, int levels)
{
    for (int k = 0; k < levels; k++) {
        level[k].nx = (coarse_x << k) + 1;
        level[k].ny = (coarse_y << k) + 1;
        level[k].width = 1.0 / (coarse_x << k);
        solution[k] = field(k);
        source[k] = field(k);
        residual[k] = field(k);
    }
}

static void destroy_levels(int levels)
{
    for (int k = 0; k < levels; k++) {
        free(solution[k]);
        free(source[k]);
        free(residual[k]);
    }
}

/* One colour of a sweep; points whose indices add up to an even number are red. */
static void relax(int k, int colour)
{
    const int nx = level[k].nx, ny = level[k].ny, size = points(k);
    const double square = level[k].width * level[k].width;
    double *restrict u = solution[k];
    const double *restrict f = source[k];

    #pragma acc parallel loop gang present(u[0:size], f[0:size])
    for (int j = 1; j < ny - 1; j++) {
        const int first = 1 + (j + 1 + colour) % 2;
        #pragma acc loop vector
        for (int i = first; i < nx - 1; i += 2) {
            const int at = j * nx + i;
            u[at] = 0.25 * (u[at - nx] + u[at - 1] + u[at + 1] + u[at + nx] + square * f[at]);
        }
    }
}

static void smooth(int k, int sweeps)
{
    for (int sweep = 0; sweep < sweeps; sweep++) {
        relax(k, 0);
        relax(k, 1);
    }
}

static void compute_residual(int k)
{
    const int nx = level[k].nx, ny = level[k].ny, size = points(k);
    const double inverse_square = 1.0 / (level[k].width * level[k].width);
    const double *restrict u = solution[k];
    const double *restrict f = source[k];
    double *restrict r = residual[k];

    #pragma acc parallel loop collapse(2) present(u[0:size], f[0:size], r[0:size])
    for (int j = 1; j < ny - 1; j++)
        for (int i = 1; i < nx - 1; i++) {
            const int at = j * nx + i;
            r[at] = f[at] - inverse_square * (4.0 * u[at] - u[at - nx] - u[at - 1] - u[at + 1] - u[at + nx]);
        }
}

/* The residual of level k becomes the source of level k - 1, whose solution starts at zero. */
static void restrict_residual(int k)
{
    const int nx = level[k].nx, size = points(k);
    const int coarse_nx = level[k - 1].nx, coarse_ny = level[k - 1].ny, coarse_size = points(k - 1);
    const double *restrict r = residual[k];
    double *restrict f = source[k - 1], *restrict u = solution[k - 1];

    #pragma acc kernels present(r[0:size], f[0:coarse_size], u[0:coarse_size])
    {
        #pragma acc loop independent
        for (int at = 0; at < coarse_size; at++)
            u[at] = 0.0;
        #pragma acc loop independent collapse(2)
        for (int j = 1; j < coarse_ny - 1; j++)
            for (int i = 1; i < coarse_nx - 1; i++) {
                const double *centre = r + 2 * j * nx + 2 * i;
                const double sides = centre[-1] + centre[1] + centre[-nx] + centre[nx];
                const double corners = centre[-nx - 1] + centre[-nx + 1] + centre[nx - 1] + centre[nx + 1];
                f[j * coarse_nx + i] = 0.25 * centre[0] + 0.125 * sides + 0.0625 * corners;
            }
    }
}

/* Adds the solution of level k - 1 to that of level k. */
static void correct(int k)
{
    const int nx = level[k].nx, ny = level[k].ny, size = points(k);
    const int coarse_nx = level[k - 1].nx, coarse_size = points(k - 1);
    const double *restrict e = solution[k - 1];
    double *restrict u = solution[k];

    #pragma acc parallel loop collapse(2) present(e[0:coarse_size], u[0:size])
    for (int j = 1; j < ny - 1; j++)
        for (int i = 1; i < nx - 1; i++) {
            const int low = (j / 2) * coarse_nx + i / 2;
            const int right = low + i % 2, above = low + (j % 2) * coarse_nx;
            u[j * nx + i] += 0.25 * (e[low] + e[right] + e[above] + e[above + i % 2]);
        }
}

static void cycle(int k)
{
    if (k == 0) {
        smooth(k, SWEEPS_COARSEST);
        return;
    }
    smooth(k, SWEEPS_DOWN);
    compute_residual(k);
    restrict_residual(k);
    cycle(k - 1);
    correct(k);
    smooth(k, SWEEPS_UP);
}

static double residual_norm(int k)
{
    const int size = points(k);
    const double *restrict r = residual[k];
    double largest = 0.0;

    compute_residual(k);
    #pragma acc parallel loop reduction(max:largest) present(r[0:size])
    for (int at = 0; at < size; at++)
        largest = fmax(largest, fabs(r[at]));
    return largest;
}

static void fill_source(int k, double strength)
{
    const int nx = level[k].nx, ny = level[k].ny;
    for (int j = 1; j < ny - 1; j++)
        for (int i = 1; i < nx - 1; i++)
            source[k][j * nx + i] = strength * (1 + (3 * i + 5 * j) % 11);
}

static void solve(int levels, int cycles, FILE *output)
{
    const int top = levels - 1, nx = level[top].nx, middle = level[top].ny / 2 * nx;

    fill_source(top, 1.0);
    for (int k = 0; k < levels; k++) {
        #pragma acc enter data copyin(solution[k][0:points(k)], residual[k][0:points(k)])
        #pragma acc enter data copyin(source[k][0:points(k)])
    }
    for (int c = 0; c < cycles; c++) {
        if (c == cycles / 2) {
            fill_source(top, -2.0);
            #pragma acc update device(source[top][0:points(top)])
        }
        cycle(top);
        const double norm = residual_norm(top);
        #pragma acc update self(solution[top][middle:nx])
        printf("cycle %d: residual %.3e, middle %.6f\n", c, norm, solution[top][middle + nx / 2]);
        fprintf(output, "%a\n", norm);
        for (int i = 0; i < nx; i++)
            fprintf(output, "%a\n", solution[top][middle + i]);
    }
    #pragma acc exit data copyout(solution[top][0:points(top)])
    for (int k = 0; k < levels; k++) {
        #pragma acc exit data delete(residual[k][0:points(k)], source[k][0:points(k)])
        if (k < top) {
            #pragma acc exit data delete(solution[k][0:points(k)])
        }
    }
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: %s COARSE_X COARSE_Y LEVELS CYCLES OUTPUT\n", argv[0]);
        return 2;
    }
    const int levels = atoi(argv[3]);
    if (levels < 1 || levels > MAX_LEVELS) {
        fprintf(stderr, "multigrid: 1 to %d levels\n", MAX_LEVELS);
        return 2;
    }
    FILE *output = fopen(argv[5], "w");
    if (output == NULL) {
        perror(argv[5]);
        return 2;
    }
    create_levels(atoi(argv[1]), atoi(argv[2]), levels);
    solve(levels, atoi(argv[4]), output);
    for (int at = 0; at < points(levels - 1); at++)
        fprintf(output, "%a\n", solution[levels - 1][at]);
    fclose(output);
    destroy_levels(levels);
    return 0;
}
