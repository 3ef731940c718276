/* The same without a device. */
#include <stdio.h>
#include <stdlib.h>
#define N 3000
#define TAPS 16

static float weights[TAPS], first[N], second[N], result[N];

static void fill(float *values, int n, int seed)
{
    for (int i = 0; i < n; i++)
        values[i] = (i * 7 + seed) % 31;
}

int main(void)
{
    int histogram[8] = {0};
    float *now = first, *next = second;
    float sums[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    fill(now, N, 3);
    fill(weights, TAPS, 1);
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < N; i++) {
            float sum = 0;
            for (int k = 0; k < TAPS; k++)
                sum += weights[k] * now[(i + k) % N];
            next[i] = sum / 256;
        }
        float *last = now;
        now = next;
        next = last;
    }
    for (int i = 0; i < N; i++)
        now[i] += weights[3] + weights[TAPS - 1];
    for (int i = 0; i < N; i++)
        if (now[i] >= 1 && now[i] < 900)
            histogram[(int)now[i] % 8] += (int)now[i];
    for (int i = 0; i < 4; i++)
        sums[1][i] += weights[3] + weights[TAPS - 1];
    double total = 0;
    for (int i = 0; i < N; i++) {
        result[i] = 2 * now[i];
        total += i % 5 * now[i] + result[i] - 0.5f * result[i];
    }
    printf("%.4f %g %g", total, sums[0][3], sums[1][3]);
    for (int bin = 0; bin < 8; bin++)
        printf(" %d", histogram[bin]);
    printf(" %g\n", weights[2]);
    return 0;
}
