/*
 * Reduction: the sum of an array. The serial form.
 *
 * usage: reduction_serial COUNT SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "values.h"

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    unsigned sum = 0;
    for (int i = 0; i < run.count; i++)
        sum += run.values[i];
    run_finish(&run, sum, clock_seconds() - start);
    return 0;
}
