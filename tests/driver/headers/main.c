#include <stdio.h>
#include <lib/mean.h>

double one(void), two(void);

int main(void)
{
    real a[20];
    for (int i = 0; i < 20; i++)
        a[i] = i;
    scale(20, a, 5);
    printf("%g %g %g\n", one(), two(), mean(20, a));
    return 0;
}
