// The same serially.
#include <stdio.h>
#include <stdlib.h>
#define N 37
#define M 53
#define AT(i, j) ((i) * width + (j))
#define SQUARE(x) ((x) * (x))

struct cell {
    float value;
    int counts[2];
};
enum { rows = N, columns = M };
static float a[N][M], b[N][M], wide[M][N];
static float left[34][40], right[40][36], both[34][36];
static int cube[12][14][16], other[12][14][16];
static struct cell cells[N];
static double *p, *q;
static double sums[N];
static int steps, spread;

static float mean(float x, float y)
{
    float sum = x;
    sum += y;
    return sum / 2;
}

// Rows at both sides of a slice are another one's.
static void smooth(long columns_of, long rows_of)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) {
            const int i = y + 1, j = x + 1;
            b[i][j] = mean(mean(a[i - 1][j], a[i + 1][j]), mean(a[i][j - 1], a[i][j + 1]));
        }
}

// In place, each thread its own element; through a macro, by a number of the launch.
static void damp(long columns_of, long rows_of, double *to, const double *from, int width, double by)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) {
            const unsigned int i = y, j = x;
            if (i == 0)
                continue;
            to[AT(i, j)] = to[AT(i, j)] * by + from[AT(i - 1, j)] * SQUARE(by);
        }
}

// Along dimension 0.
static void turn(long columns_of, long rows_of)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) {
            const int i = x;
            for (int j = 0; j < rows; j++)
                wide[i][j] = a[j][i] + b[rows - 1 - j][i];
        }
}

// What a thread reads is not known.
static void gather(long columns_of, long rows_of, const int *from)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) {
            const int i = x;
            sums[i] = p[from[i * 2 + 1] % 50] + steps;
        }
}

// Structures, and an array of the thread's own.
static void collect(long columns_of, long rows_of, int first)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) {
            int own[3] = {1, 2, 3};
            const int i = x + first;
            for (int k = 2; k >= 0; k -= 1)
                own[k] += i;
            cells[i].counts[0] = own[0] * own[1];
            cells[i].counts[1]++;
            cells[i].value += own[2];
        }
}

// Through shared memory.
static void multiply(long columns_of, long rows_of)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) {
            const int i = y, j = x;
            float sum = 0;
            for (int k = 0; k < 40; k++)
                sum += left[i][k] * right[k][j];
            both[i][j] = sum;
        }
}

// A loop and a dimension change places.
static void along(long columns_of, long rows_of)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) {
            const int i = y + 1, j = x + 1;
            for (int k = 1; k < 15; k++)
                other[i][j][k] = cube[i][j][k - 1] + 2 * cube[i + 1][j][k] + cube[i - 1][j - 1][k + 1];
        }
}

// Mapped when it is launched.
static void depends(long columns_of, long rows_of, const float *from, double *to, int m, int n)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) {
            const int i = x, j = y;
            double sum = 0;
            for (int k = 0; k < m; k++)
                sum += from[k * columns + i];
            for (int k = 0; k < n; k++)
                sum += from[j * columns + k];
            to[j * 8L + i] = sum;
        }
}

// On one device: all threads write a row of which others write parts, a number, an unknown element.
static void across(long columns_of, long rows_of)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) {
            const int i = x;
            for (int k = 0; k < N; k++)
                b[k][i] += k * i;
        }
}
static void count(long columns_of, long rows_of)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) { spread += 1 + (int)x; }
}
static void scatter(long columns_of, long rows_of, const int *to)
{
    for (long y = 0; y < rows_of; y++)
        for (long x = 0; x < columns_of; x++) {
            const int i = x;
            q[to[i]] = i * 3;
        }
}

static double total()
{
    double sum = spread + steps;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++)
            sum += a[i][j] * (i + 1) - b[i][j] * (j + 2) + wide[j][i] * (i + j);
        sum += cells[i].value + cells[i].counts[0] * 3 + cells[i].counts[1] + sums[i];
    }
    for (int i = 0; i < 34; i++)
        for (int j = 0; j < 36; j++)
            sum += both[i][j] * (i + 2 * j);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 14; j++)
            for (int k = 0; k < 16; k++)
                sum += (cube[i][j][k] - 2.0 * other[i][j][k]) * (i + j + k);
    for (int i = 0; i < N * M; i++)
        sum += p[i] * (i % 7) + q[i] * (i % 5);
    return sum;
}

static void run(int size)
{
    int *const places = (int *)malloc(100 * sizeof(int));
    for (int step = 0; step < 3; step++) {
        smooth(M - 2, N - 2);
        damp((unsigned)size, N, p, q, size, 0.5);
        double *const swap = p;
        p = q;
        q = swap;
        turn(M, 1);
        a[step][3] += wide[step][2];
        steps++;
    }
    collect(N - 4L, 1, 3);
    multiply(36, 34);
    along(12, 10);
    depends(8, 20, &a[2][0], q + 3, 9, 11);
    depends(8, 20, a[3], p + 1, 20, size % 5);
    across(M, 1);
    damp(size, 1, p, q, size, 0.25);
    damp(0, 5, p, q, size, 0.25);
    smooth(1, N - 2);
    count(20, 1);
    smooth(M - 2, 1);
    free(places);
}

static int *order;

int main(void)
{
    p = (double *)malloc(N * M * sizeof(double));
    q = (double *)calloc(N * M, sizeof(double));
    order = (int *)malloc(200 * sizeof(int));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            a[i][j] = (i * 31 + j * 17) % 101;
            b[i][j] = (i + j) % 7;
            p[i * M + j] = (i * 5 + j * 3) % 11;
        }
    for (int i = 0; i < 40 * 40; i++) {
        if (i < 34 * 40)
            left[i / 40][i % 40] = i % 13;
        if (i < 40 * 36)
            right[i / 36][i % 36] = i % 9 - 3;
    }
    for (int i = 0; i < 12 * 14 * 16; i++)
        cube[i / 224][i / 16 % 14][i % 16] = i % 19;
    for (int i = 0; i < 200; i++)
        order[i] = (i * 37) % 200;
    run(M);
    printf("%.6f\n", total());
    gather(N, 1, order);
    scatter(100, 1, order);
    run(41);
    printf("%.6f\n", total());
    smooth(M - 2, N - 2);
    printf("%.6f\n", total());
    free(p);
    free(q);
    free(order);
}
