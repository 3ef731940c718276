#include "ledger.h"

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    const long nx = atol(argv[1]), ny = atol(argv[2]), n = nx * ny, iterations = atol(argv[3]);
    /* The diagonal, and each coupling twice: to the right, upwards, and between wells. */
    long couplings = ny * (nx - 1) + nx * (ny - 1);
    for (long low = 0; low < n - 1 - low; low += 7) {
        const long high = n - 1 - low;
        couplings += !((high == low + 1 && high % nx != 0) || high == low + nx);
    }
    const long entries = n + 2 * couplings;

    /* Once each: the matrix, the right side and the guess to the device, the solution back. */
    to_device("row_start[0:n + 1]", 1, 4 * (n + 1));
    to_device("column[0:entries]", 1, 4 * entries);
    to_device("value[0:entries]", 1, 8 * entries);
    to_device("b[0:n]", 1, 8 * n);
    to_device("x[0:n]", 1, 8 * n);
    to_host("x[0:n]", 1, 8 * n);

    launches("invert_diagonal", 1);
    launches("multiply", 1 + iterations);
    launches("start", 1);
    reduction("rho", 1, 8);
    launches("dot", iterations);
    reduction("sum", iterations, 8);
    launches("iterate", 2 * iterations);
    reduction("next", iterations, 8);
    reduction("norm", iterations, 8);
    return 0;
}
