// expect-error: A0402 A0402
#include <stdio.h>

int main(int argc, char **argv)
{
    double sums[9] = {0};
    int k = argc;
    #pragma acc parallel loop reduction(+:sums[8]) copy(sums)
    for (int i = 0; i < 100; i++) {
        sums[8] += i;
        #pragma acc atomic
        sums[i % 8] += 1;
    }
    #pragma acc parallel loop reduction(+:sums[0]) copy(sums)
    for (int i = 0; i < 100; i++) {
        sums[0] += i;
        sums[k + i % 2] = sums[k + i % 2] + 1;
    }
    // What is read while it is reduced has no value, so that these are others.
    #pragma acc parallel loop reduction(+:sums[0]) copy(sums)
    for (int i = 0; i < 100; i++)
        sums[0] += sums[k];
    printf("%g\n", sums[0]);
    return 0;
}
