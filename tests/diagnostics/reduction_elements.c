// expect-error: A0402 A0402 A0402
#include <stdio.h>

int main(void)
{
    double sums[8] = {0}, *most = sums;
    int n = 4;
    // A section and an element by two operators.
    #pragma acc parallel loop reduction(+:sums[0:4]) reduction(max:sums[5])
    for (int i = 0; i < 100; i++) {
        sums[i % 4] += i;
        sums[5] = sums[5] > i ? sums[5] : i;
    }
    // Another element beside a section.
    #pragma acc parallel loop reduction(+:most[1:n]) copy(most[0:8])
    for (int i = 0; i < 100; i++)
        most[1 + i % n] += most[0] * i;
    // The element changes within the construct.
    #pragma acc parallel copy(sums)
    for (int k = 0; k < 4; k++) {
        #pragma acc loop gang reduction(max:sums[k])
        for (int i = 0; i < 100; i++)
            sums[k] = sums[k] > sums[k + 4] ? sums[k] : sums[k + 4];
    }
    printf("%g\n", sums[0]);
    return 0;
}
