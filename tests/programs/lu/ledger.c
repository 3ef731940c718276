#include <string.h>

#include "ledger.h"

/* How often a step finds its pivot elsewhere: heavy[row] is the column that the row is heavy in. */
static long count_swaps(int n)
{
    int *heavy = malloc(sizeof(int[n]));
    long swaps = 0;
    for (int i = 0; i < n; i++)
        heavy[(2 * i + 1) % n] = i;
    for (int k = 0; k < n; k++)
        for (int row = k + 1; row < n; row++)
            if (heavy[row] == k) {
                heavy[row] = heavy[k];
                heavy[k] = k;
                swaps++;
            }
    free(heavy);
    return swaps;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const long n = atol(argv[2]), batch = atol(argv[3]), matrix = 8 * n * n;

    if (strcmp(argv[1], "batch") == 0) {
        to_device("a[0:batch]", 1, batch * matrix);
        to_host("a[0:batch]", 1, batch * matrix);
        to_host("growth[0:batch]", 1, 8 * batch);
        launches("decompose_batch", 1);
        return 0;
    }
    /* The matrix goes there and back once, whatever the number of steps. */
    to_device("a[0:n * n]", 1, matrix);
    to_host("a[0:n * n]", 1, matrix);
    if (strcmp(argv[1], "kernels") == 0) {
        /* A step's scale by one thread, the column, the rest. */
        launches("decompose_kernels", 3 * (n - 1));
        return 0;
    }
    launches("find_pivot", 2 * n);
    reduction("largest", n, 8);
    reduction("row", n, 4);
    launches("swap_rows", count_swaps((int)n));
    launches("decompose_pivoted", n);
    return 0;
}
