/*
 * Two-point angular correlation function. The serial form.
 *
 * usage: tpacf_serial POINTS SETS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "sky.h"

/* Counts the pairs within a set, each once. */
static void count_within(int count, const struct point *points, const float *cosines,
                         unsigned long long *counts)
{
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            counts[bin_of(dot(points[i], points[j]), cosines)]++;
}

/* Counts the pairs between two sets. */
static void count_between(int count, const struct point *a, const struct point *b,
                          const float *cosines, unsigned long long *counts)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            counts[bin_of(dot(a[i], b[j]), cosines)]++;
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    count_within(run.count, run.points, run.cosines, run.counts.observed);
    for (int set = 1; set <= run.sets; set++) {
        const struct point *random = run.points + (size_t)set * (size_t)run.count;
        count_between(run.count, run.points, random, run.cosines, run.counts.between);
        count_within(run.count, random, run.cosines, run.counts.random);
    }
    run_finish(&run, clock_seconds() - start);
    return 0;
}
