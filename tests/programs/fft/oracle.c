/*
 * The same filter with transforms that call themselves on every p-th value, one signal after the
 * other, on pairs of floats.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
    float re, im;
};

static struct pair *root;
static int whole;

/* Decimation in time: the last of the ascending prime factors is split off first. */
static void transform(int n, int stride, int inverse, const struct pair *in, struct pair *out)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    int p = n;
    for (int rest = n, d = 2; d <= rest; d++)
        while (rest % d == 0) {
            rest /= d;
            p = d;
        }
    const int m = n / p;
    struct pair *parts = malloc(sizeof(struct pair[n]));
    for (int j = 0; j < p; j++)
        transform(m, stride * p, inverse, in + j * stride, parts + j * m);
    for (int k = 0; k < n; k++) {
        struct pair sum = parts[k % m];
        for (int j = 1; j < p; j++) {
            struct pair w = root[(long)j * k * stride % whole];
            if (inverse)
                w.im = -w.im;
            const struct pair v = parts[j * m + k % m];
            sum.re += w.re * v.re - w.im * v.im;
            sum.im += w.re * v.im + w.im * v.re;
        }
        out[k] = sum;
    }
    free(parts);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    whole = atoi(argv[1]);
    const int signals = atoi(argv[2]);
    FILE *output = fopen(argv[5], "w");
    struct pair *signal = malloc(sizeof(struct pair[whole])), *spectrum = malloc(sizeof(struct pair[whole]));
    float *peak = malloc(sizeof(float[signals]));
    root = malloc(sizeof(struct pair[whole]));
    if (output == NULL || signal == NULL || spectrum == NULL || peak == NULL || root == NULL)
        return 2;
    for (int k = 0; k < whole; k++) {
        const double angle = -2.0 * 3.14159265358979323846 * k / whole;
        root[k] = (struct pair){(float)cos(angle), (float)sin(angle)};
    }
    for (int s = 0; s < signals; s++) {
        for (int i = 0; i < whole; i++)
            signal[i] = (struct pair){(float)((i * (s + 3)) % 23 - 11), (float)((i * i + 5 * s) % 13 - 6) * 0.25f};
        transform(whole, 1, 0, signal, spectrum);
        for (int k = 0; k < whole; k++) {
            const int over = (k <= whole / 2 ? k : whole - k) - whole / 6;
            const float response = over <= 0 ? 1.0f : 1.0f / (1.0f + (float)over);
            const float factor = 1.0f / (float)whole * response;
            spectrum[k].re *= factor;
            spectrum[k].im *= factor;
        }
        transform(whole, 1, 1, spectrum, signal);
        peak[s] = 0;
        for (int i = 0; i < whole; i++) {
            const float power = signal[i].re * signal[i].re + signal[i].im * signal[i].im;
            peak[s] = power > peak[s] ? power : peak[s];
            fprintf(output, "%a %a\n", (double)signal[i].re, (double)signal[i].im);
        }
    }
    for (int s = 0; s < signals; s++)
        fprintf(output, "%a\n", (double)peak[s]);
    fclose(output);
    free(signal);
    free(spectrum);
    free(peak);
    free(root);
    return 0;
}
