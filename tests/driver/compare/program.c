/* A program that is right, and one mistake for each value of MISTAKE. */
#include <math.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000
#ifndef MISTAKE
#define MISTAKE 0
#endif

struct cell {
    char kind;
    double at[3];
    int *next;
};

static float *filled(int n)
{
    float *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = 0.1f * i;
    return a;
}

/* Sums in another order than the host's. */
static float sum(const float *a, int n)
{
    float s = 0;
    #pragma acc parallel loop reduction(+:s) copyin(a[0:n]) /* sum */
    for (int i = 0; i < n; i++)
        s += a[i] / (i % 7 + 3);
    return s;
}

/* Half of what is created, rows behind pointers, structures, a queue, NaN, a condition. */
static void kinds(float *a, int n)
{
    float *half = malloc(n * sizeof *half), *rows[4];
    struct cell cells[10];
    for (int i = 0; i < 4; i++)
        rows[i] = filled(n);
    #pragma acc enter data create(half[0:n]) copyin(rows[0:4][0:n])
    for (int step = 0; step < 2; step++) {
        #pragma acc parallel loop present(half) async(1)
        for (int i = step; i < n / 2; i++)
            half[i] = a[i] + step;
        #pragma acc parallel loop present(rows) copy(cells) async(1)
        for (int i = 0; i < 4; i++) {
            rows[i][step] = i == 2 ? NAN : half[i + 1];
            cells[i].kind = (char)i;
            cells[i].at[step] = step;
        }
        #pragma acc wait(1)
        #pragma acc kernels if(step > 0) copy(a[0:n])
        for (int i = 0; i < n; i++)
            a[i] = a[i] * 2;
    }
    #pragma acc exit data delete(half[0:n]) copyout(rows[0:4][0:n])
    printf("%g %g\n", rows[1][1], cells[3].at[1]);
}

int main(void)
{
    float *a = filled(N), *b = filled(N), top = 0;
    int shared[4] = {0};
    kinds(a, N);
    printf("%.3g\n", sum(a, N));
    #pragma acc data copyin(a[0:N]) copy(b[0:N])
    {
        a[17] = 5;
#if MISTAKE != 1
        #pragma acc update device(a[17:1])
#endif
        #pragma acc parallel loop /* twice */
        for (int i = 0; i < N; i++)
            b[i] = 2 * a[i];
#if MISTAKE != 2
        #pragma acc update self(b[0:3])
#endif
        a[3] = b[2] + 1;
        #pragma acc update device(a[3:1])
        #pragma acc parallel loop /* from host */
        for (int i = 0; i < N; i++)
            b[i] = a[3] + i;
        #pragma acc parallel loop copy(shared) /* temporary */
        for (int i = 0; i < N; i++) {
#if MISTAKE == 3
            shared[1] = i;
            b[i] += shared[1];
#else
            int own = i;
            b[i] += own;
#endif
        }
#if MISTAKE == 4
        #pragma acc parallel loop copy(top) /* no reduction */
        for (int i = 0; i < N; i++)
            top += i == 0 ? 1e8f : i == 1 ? -1e8f : 1.0f;
#endif
#if MISTAKE == 5
        #pragma acc parallel loop /* off by one */
        for (int i = 0; i < N - 1; i++)
            b[i] = a[i + (i == 41 && acc_on_device(acc_device_not_host))];
#endif
        double worst = 1;
        for (int step = 0; worst > 0.1; step++) {
            #pragma acc parallel loop copyin(worst) reduction(max:top)
            for (int i = 0; i < N; i++)
                top = fmaxf(top, a[i] / (step + 1)); /* iteration */
            #pragma acc serial copy(worst) /* worst */
            worst = worst / 2;
#if MISTAKE == 6
            #pragma acc data create(worst)
            {
                #pragma acc serial present(worst)
                worst = 0.01;
            }
#endif
        }
        #pragma acc parallel loop /* after */
        for (int i = 0; i < N; i++)
            b[i] += 1;
#if MISTAKE == 7
        printf("%g\n", b[9]);
#endif
    }
    printf("%g %g\n", b[9], top);
    return 0;
}
