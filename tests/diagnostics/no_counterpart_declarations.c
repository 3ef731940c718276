// expect-error: A0602 A0602
#include <stdio.h>

struct limit {
    const int most;
};

static int clamp(int n)
{
    if (n < 0)
        goto none;
    struct limit limit = { 10 };
    return n < limit.most ? n : limit.most;
none:
    return 0;
}

int main(void)
{
    int a[4];
    #pragma acc parallel loop copyout(a)
    for (int i = 0; i < 4; i++) {
        a[i] = clamp(i);
        a[i] += ({ int own[i + 1]; own[i] = i; own[i]; });
    }
    printf("%d\n", a[3]);
}
