/* What both.mcu prints. */
#include <stdio.h>

int main(void)
{
    static float a[5000], b[5000];
    for (int i = 0; i < 5000; i++)
        a[i] = i;
    for (int i = 0; i < 5000; i++)
        a[i] *= 3;
    for (int i = 0; i < 5000; i++)
        b[i] = 2 * a[i];
    if (b[3] > 1)
        for (int i = 0; i < 5000; i++)
            b[i] *= 3;
    for (int i = 0; i < 5000; i++)
        b[i] *= 3;
    double sum = 0;
    for (int i = 0; i < 5000; i++)
        sum += b[i];
    printf("%.0f\n", sum);
    return 0;
}
