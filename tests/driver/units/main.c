#include <stdio.h>

#include "particles.h"

#define N 40

static double half(double x)
{
    return x * 0.5 + 1;
}

int main(void)
{
    struct particle p[N];
    double out[N], norms[N];
    int above[N];
    setup();
    for (int i = 0; i < N; i++) {
        p[i].x = i * 0.01;
        p[i].v = 0;
        p[i].hits = i;
    }
    #pragma acc data copy(p) create(out) copyout(norms, above)
    {
        #pragma acc parallel loop
        for (int i = 0; i < N; i++)
            for (int k = 0; k < 4; k++)
                out[i] = advance(&p[i], 0.01 * (i % 3)) + half(i);
        #pragma acc parallel loop gang
        for (int i = 0; i < N; i++) {
            norms[i] = norm(i, out);
            above[i] = count_above(N, out, 0.1 * i);
        }
        #pragma acc parallel num_gangs(4)
        {
            scale(N, 3, norms);
        }
        #pragma acc update self(out)
    }
    release();
    for (int i = 0; i < N; i++)
        printf("%.9g %.9g %d %.7g %d\n", out[i], p[i].v, p[i].hits, norms[i], above[i]);
    return 0;
}
