/* The same steps particle by particle, each a structure, on arrays of rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct particle {
    double x, y, u, v;
    int charge, alive;
};

enum { SIDE = 200 };

static double density[SIDE][SIDE], potential[SIDE][SIDE], before[SIDE][SIDE], east[SIDE][SIDE], north[SIDE][SIDE];
static int nx, ny;

static double between(double field[SIDE][SIDE], double x, double y)
{
    const int column = (int)x, row = (int)y < ny ? (int)y : ny - 1;
    const double a = x - column, b = y - (int)y;
    const int i = column % nx, next = (i + 1) % nx;
    return (1.0 - b) * ((1.0 - a) * field[row][i] + a * field[row][next]) +
           b * ((1.0 - a) * field[row + 1][i] + a * field[row + 1][next]);
}

static void make_field(const struct particle *p, int count)
{
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i < nx; i++)
            density[j][i] = 0;
    for (int k = 0; k < count; k++)
        if (p[k].alive)
            density[(int)(p[k].y + 0.5)][(int)(p[k].x + 0.5) % nx] += p[k].charge;
    for (int s = 0; s < 6; s++) {
        for (int j = 0; j <= ny; j++)
            for (int i = 0; i < nx; i++)
                before[j][i] = potential[j][i];
        for (int j = 1; j < ny; j++)
            for (int i = 0; i < nx; i++)
                potential[j][i] = 0.25 * (before[j][(i + nx - 1) % nx] + before[j][(i + 1) % nx] + before[j - 1][i] +
                                          before[j + 1][i] + 0.0625 * density[j][i]);
    }
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i < nx; i++) {
            east[j][i] = 0.5 * (potential[j][(i + nx - 1) % nx] - potential[j][(i + 1) % nx]);
            north[j][i] = 0.5 * (potential[j > 0 ? j - 1 : 0][i] - potential[j < ny ? j + 1 : ny][i]);
        }
}

/* Gives whether a wall absorbs it. */
static int advance(struct particle *p)
{
    const double step = 0.125, turn = 0.125 * step, sine = 2.0 * turn / (1.0 + turn * turn);
    const double sign = p->charge < 0 ? -1.0 : 1.0;
    const double du = 0.5 * step * (sign * between(east, p->x, p->y));
    const double dv = 0.5 * step * (sign * between(north, p->x, p->y));
    const double u = p->u + du, v = p->v + dv;
    p->u = u + sine * (v - turn * u) + du;
    p->v = v - sine * (u + turn * v) + dv;
    p->x += step * p->u;
    p->y += step * p->v;
    if (p->x < 0)
        p->x += nx;
    else if (p->x >= nx)
        p->x -= nx;
    p->alive = p->y >= 0 && p->y < ny;
    return !p->alive;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    nx = atoi(argv[1]);
    ny = atoi(argv[2]);
    const int count = atoi(argv[3]), steps = atoi(argv[4]);
    FILE *output = fopen(argv[5], "w");
    struct particle *p = malloc((size_t)count * sizeof *p);
    int *lost = malloc((size_t)count * sizeof *lost);
    if (output == NULL || p == NULL || lost == NULL)
        return 2;
    for (int k = 0; k < count; k++)
        p[k] = (struct particle){(k * 37 % 1009) / 1009.0 * nx, (0.5 + k * 53 % 997) / 998.0 * ny, k % 2 ? 1 : -1,
                                 (k % 11 - 5) * 0.25, k % 3 ? 1 : -2, 1};
    for (int s = 0; s < steps; s++) {
        int absorbed = 0;
        double top = 0;
        make_field(p, count);
        for (int k = 0; k < count; k++)
            if (p[k].alive && advance(&p[k]))
                lost[absorbed++] = k;
        fprintf(output, "%d\n", absorbed);
        for (int k = 0; k < absorbed; k++)
            fprintf(output, "%d\n", lost[k]);
        for (int k = 0; k < count; k++)
            if (p[k].alive && p[k].u * p[k].u + p[k].v * p[k].v > top)
                top = p[k].u * p[k].u + p[k].v * p[k].v;
        if (s % 4 == 3)
            fprintf(output, "%a\n", sqrt(top));
    }
    for (int k = 0; k < count; k++)
        fprintf(output, "%a %a %a %a\n", p[k].x, p[k].y, p[k].u, p[k].v);
    for (int j = 0; j <= ny; j++)
        for (int i = 0; i < nx; i++)
            fprintf(output, "%a\n", potential[j][i]);
    fclose(output);
    free(p);
    free(lost);
    return 0;
}
