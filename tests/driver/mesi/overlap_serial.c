/* The same without a device. */
#include <stdio.h>
#define N 1000

int main(void)
{
    long of_a = 0, of_b = 0, again = 0;
    for (int i = 0; i < N; i++) {
        of_a += 2 * i;
        of_b += 2 * i + i + 1;
        again += 2 * i + 1;
    }
    printf("%ld %ld %ld\n", of_a, of_b, again);
    return 0;
}
