// expect-error: A0418 A0418 A0418 A0418 A0418 A0418 A0418 A0418 A0418 A0418 A0418 A0418
// Functions of CUDA and of gcc for which C or OpenACC have something else.
#include <math.h>
#include <stdio.h>
void f(int n, int k, float *restrict a, const float *restrict b)
{
    #pragma acc parallel loop copyout(a[0:n]) copyin(b[0:n]) copy(k)
    for (int i = 0; i < n; i++) {
        a[i] = max(i, 3) + min(i, k);
        a[i] += __popc(i) + __ffs(i) + __clz(i);
        a[i] += __ldg(&b[i]) + rsqrt(b[i]);
        a[i] += __sync_fetch_and_add(&k, 1);
        a[i] += __atomic_fetch_add(&k, 1, 0);
        atomicMax(&k, i);
        atomicCAS(&k, i, 0);
        printff("%d\n", i);
    }
}
