/* SPDX-License-Identifier: 0BSD */
/* Grid-wide reductions into a host variable, and into one that is present on the device. */
#include "accrs.h"

#include <stdio.h>
#include <stdlib.h>

extern void dot_launch(int n, double *x, double *sum);
extern void longest_launch(int n, double *x, double *longest);

int main(void)
{
    static const int sizes[] = {0, 1, 2, 31, 257, 1000, 100003};
    unsigned k;
    for (k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        int n = sizes[k], i;
        double *x = (double *)malloc((n + 1) * sizeof *x);
        double sum = 1.0, expected = 1.0, longest = -1.0, longest_expected = -1.0;
        for (i = 0; i < n; ++i) {
            x[i] = (i * 7919) % 1009; /* integers: every order of summation is exact */
            expected += x[i] * x[i];
            if (x[i] > longest_expected)
                longest_expected = x[i];
        }
        accrs_begin("dot.c", 6, "parallel loop");
        accrs_copyin("x", x, 0, n * sizeof *x);
        dot_launch(n, x, &sum);
        accrs_end();
        accrs_begin("dot.c", 9, "parallel loop");
        accrs_copyin("x", x, 0, n * sizeof *x);
        accrs_copy("longest", &longest, 0, sizeof longest);
        longest_launch(n, x, &longest);
        longest = 12345.0; /* the device's copy comes back over this */
        accrs_end();
        if (sum != expected || longest != longest_expected) {
            fprintf(stderr, "n %d: sum %g, expected %g; longest %g, expected %g\n", n, sum, expected, longest,
                    longest_expected);
            return 1;
        }
        free(x);
    }
    return 0;
}
