/*
 * Two-point angular correlation function. The hiCUDA form.
 *
 * As many workers as there are threads take points in turn, each with a histogram of its own in shared
 * memory; a second kernel adds these up.
 *
 * usage: tpacf_hicuda POINTS SETS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "sky.h"

#ifndef BLOCKS
#define BLOCKS 128 /* of the grid */
#endif
#ifndef BLOCK
#define BLOCK 64 /* threads of a block */
#endif
#if BLOCKS < 1 || BLOCK < 1 || BLOCK > 256
#error "a grid has blocks, and shared memory histograms for 1 to 256 threads"
#endif
#define WORKERS (BLOCKS * BLOCK)

/* Adds the pairs of points of two sets; within one, if they are the same, each pair once. */
static void count_pairs(int count, const struct point (*restrict points)[count], int first,
                        int second, const float cosines[BINS + 1],
                        unsigned (*restrict histograms)[COUNTERS],
                        unsigned long long counts[COUNTERS])
{
    #pragma hicuda kernel count_bins tblock(BLOCKS) thread(BLOCK)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int worker = 0; worker < WORKERS; worker++) {
        #pragma hicuda shared alloc histograms[worker][0:COUNTERS - 1]
        for (int k = 0; k < COUNTERS; k++)
            histograms[worker][k] = 0;
        for (int i = worker; i < count; i += WORKERS) {
            const struct point here = points[first][i];
            for (int j = first == second ? i + 1 : 0; j < count; j++)
                histograms[worker][bin_of(dot(here, points[second][j]), cosines)]++;
        }
        #pragma hicuda barrier
        #pragma hicuda shared copyout histograms[worker][0:COUNTERS - 1]
        #pragma hicuda barrier
        #pragma hicuda shared remove histograms
    }
    #pragma hicuda kernel_end

    #pragma hicuda kernel add_bins tblock(1) thread(COUNTERS)
    #pragma hicuda loop_partition over_thread
    for (int k = 0; k < COUNTERS; k++) {
        unsigned long long sum = counts[k];
        for (int worker = 0; worker < WORKERS; worker++)
            sum += histograms[worker][k];
        counts[k] = sum;
    }
    #pragma hicuda kernel_end
}

/* All counts: the points and the histograms stay on the device. */
static void correlate(int count, int sets, const struct point (*restrict points)[count],
                      const float cosines[BINS + 1], struct counts *restrict result)
{
    unsigned long long *observed = result->observed, *between = result->between;
    unsigned long long *random = result->random;
    unsigned (*histograms)[COUNTERS] =
        (unsigned (*)[COUNTERS])allocate(WORKERS, sizeof *histograms);

    #pragma hicuda shape points[sets + 1][count]
    #pragma hicuda shape histograms[WORKERS][COUNTERS]
    #pragma hicuda shape cosines[BINS + 1]
    #pragma hicuda shape observed[COUNTERS]
    #pragma hicuda shape between[COUNTERS]
    #pragma hicuda shape random[COUNTERS]
    #pragma hicuda constant copyin cosines[*]
    #pragma hicuda global alloc points[*][*] copyin
    #pragma hicuda global alloc histograms[*][*]
    #pragma hicuda global alloc observed[*] clear
    #pragma hicuda global alloc between[*] clear
    #pragma hicuda global alloc random[*] clear
    count_pairs(count, points, 0, 0, cosines, histograms, observed);
    for (int set = 1; set <= sets; set++) {
        count_pairs(count, points, 0, set, cosines, histograms, between);
        count_pairs(count, points, set, set, cosines, histograms, random);
    }
    #pragma hicuda global copyout observed[*]
    #pragma hicuda global copyout between[*]
    #pragma hicuda global copyout random[*]
    #pragma hicuda global free points histograms observed between random
    #pragma hicuda constant remove cosines
    free(histograms);
}

int main(int argc, char **argv)
{
    struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    correlate(run.count, run.sets, (const struct point (*)[run.count])run.points, run.cosines,
              &run.counts);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
