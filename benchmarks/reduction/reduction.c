/*
 * Reduction: the sum of an array. The OpenACC form, which leaves the way to the compiler.
 *
 * usage: reduction COUNT SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "values.h"

static unsigned total(int count, const unsigned *values)
{
    unsigned sum = 0;

    #pragma acc parallel loop copyin(values[0:count]) reduction(+ : sum)
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    const unsigned sum = total(run.count, run.values);
    run_finish(&run, sum, clock_seconds() - start);
    return 0;
}
