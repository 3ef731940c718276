/* Runs the kernel of auto_cta.cu, with a number of threads that no block divides. */
#include <string.h>

static double a[1000], b[1000];

void auto_cta_launch(int n, double *a, double *b);

int main(int count, char **arguments)
{
    const char *mistake = count > 1 ? arguments[1] : "";
    for (int i = 0; i < 1000; i++)
        a[i] = 1.0 / (1 + i), b[i] = -1.0;
#pragma acc data copyin(a) copy(b)
    auto_cta_launch(997, a, b);
    const int threads = strcmp(mistake, "one step less") == 0 ? 996 : 997;
    const int shift = strcmp(mistake, "a neighbour") == 0;
    if (strcmp(mistake, "one element") == 0)
        b[999] = 0;
    for (int i = 0; i < 1000; i++)
        if (b[i] != (i < threads ? a[(i + shift) % 1000] * 2 : -1.0))
            return 1;
    return 0;
}
