/*
 * Dyadic convolution of two sequences, straight from its definition. The serial form.
 *
 * usage: dyadic_serial DATA KERNEL SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "sequences.h"

/* Of the `kernel_count` first values of `kernel`; the others are zero. */
static void convolve(int count, int kernel_count, const int64_t *data, const int64_t *kernel,
                     int64_t *result)
{
    for (int k = 0; k < count; k++) {
        int64_t sum = 0;
        for (int j = 0; j < kernel_count; j++)
            sum += data[j ^ k] * kernel[j];
        result[k] = sum;
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    convolve(run.count, run.kernel_count, run.data, run.kernel, run.result);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
