/* A few directives for tools/mutate-clauses: data, update, wait, private. */
#include <stdio.h>

#define N 40

static double a[N], b[N];

int main(void)
{
    double sum = 0, pair[2];
    for (int i = 0; i < N; i++)
        a[i] = i % 7;
    #pragma acc data copyin(a[0:N]) copyout(b[0:N])
    {
        a[3] = 8;
        #pragma acc update device(a[3:1])
        #pragma acc parallel loop private(pair) async(1)
        for (int i = 0; i < N; i++) {
            pair[0] = a[i];
            pair[1] = a[(i + 1) % N];
            b[i] = pair[0] + pair[1];
        }
        #pragma acc wait(1)
    }
    for (int i = 0; i < N; i++)
        sum += b[i];
    printf("%g %g\n", sum, b[3]);
    return 0;
}
