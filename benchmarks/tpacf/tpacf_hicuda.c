/*
 * Two-point angular correlation function. The hiCUDA form.
 *
 * A block has a tile of points in shared memory, and goes through the other set in tiles. Each thread
 * has a point, and a histogram of its own, which the block adds up; a second kernel adds up those of
 * the blocks.
 *
 * usage: tpacf_hicuda POINTS SETS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "sky.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block, and points of a tile */
#endif
#if BLOCK < 1 || BLOCK > 512
#error "shared memory has histograms for 1 to 512 threads"
#endif
#define ROW 32 /* counters with the rest of a line of memory */
#if COUNTERS > ROW
#error "a row has all counters"
#endif

/* One histogram a thread; the host's are not used. */
static unsigned histograms[BLOCK][COUNTERS];

/*
 * Adds the pairs of points of `sets` pairs of sets, from the sets `own` and `other` on, the former
 * always that one if `is_first`; within one, if they are the same, each pair once.
 */
static void count_pairs(int count, int blocks, int sets, int is_first, int is_same,
                        const struct point (*own)[count], const struct point (*other)[count],
                        const float cosines[BINS + 1], unsigned (*restrict partial)[ROW],
                        unsigned long long counts[COUNTERS])
{
    #pragma hicuda kernel count_bins tblock(sets, blocks) thread(BLOCK)
    #pragma hicuda loop_partition over_tblock
    for (int set = 0; set < sets; set++) {
        #pragma hicuda loop_partition over_tblock
        for (int block = 0; block < blocks; block++) {
            const int begin = BLOCK * block, row = is_first ? 0 : set;
            #pragma hicuda shared alloc own[row][begin:begin + BLOCK - 1] copyin
            #pragma hicuda shared alloc histograms[*][*]
            #pragma hicuda loop_partition over_thread
            for (int t = 0; t < BLOCK; t++)
                for (int k = 0; k < COUNTERS; k++)
                    histograms[t][k] = 0;
            for (int first = is_same ? begin : 0; first < count; first += BLOCK) {
                const int end = count - first < BLOCK ? count : first + BLOCK;
                #pragma hicuda shared alloc other[set][first:first + BLOCK - 1] copyin
                #pragma hicuda barrier
                #pragma hicuda loop_partition over_thread
                for (int t = 0; t < BLOCK; t++) {
                    const int i = begin + t;
                    if (i < count) {
                        const struct point here = own[row][i];
                        for (int j = is_same && i >= first ? i + 1 : first; j < end; j++)
                            histograms[t][bin_of(dot(here, other[set][j]), cosines)]++;
                    }
                }
                #pragma hicuda barrier
                #pragma hicuda shared remove other
            }
            #pragma hicuda loop_partition over_thread
            for (int k = 0; k < COUNTERS; k++) {
                unsigned sum = 0;
                for (int t = 0; t < BLOCK; t++)
                    sum += histograms[t][k];
                partial[set * blocks + block][k] = sum;
            }
            #pragma hicuda barrier
            #pragma hicuda shared remove own histograms
        }
    }
    #pragma hicuda kernel_end

    #pragma hicuda kernel add_bins tblock(1) thread(COUNTERS)
    #pragma hicuda loop_partition over_thread
    for (int k = 0; k < COUNTERS; k++) {
        unsigned long long sum = 0;
        for (int row = 0; row < sets * blocks; row++)
            sum += partial[row][k];
        counts[k] = sum;
    }
    #pragma hicuda kernel_end
}

/* All counts: the points and the histograms stay on the device. */
static void correlate(int count, int sets, const struct point (*restrict points)[count],
                      const float cosines[BINS + 1], struct counts *restrict result)
{
    const int blocks = (count + BLOCK - 1) / BLOCK, rows = (sets > 1 ? sets : 1) * blocks;
    unsigned long long *observed = result->observed, *between = result->between;
    unsigned long long *random = result->random;
    unsigned (*partial)[ROW] = (unsigned (*)[ROW])allocate((size_t)rows, sizeof *partial);

    #pragma hicuda shape points[sets + 1][count]
    #pragma hicuda shape partial[rows][ROW]
    #pragma hicuda shape cosines[BINS + 1]
    #pragma hicuda shape observed[COUNTERS]
    #pragma hicuda shape between[COUNTERS]
    #pragma hicuda shape random[COUNTERS]
    #pragma hicuda constant copyin cosines[*]
    #pragma hicuda global alloc points[*][*] copyin
    #pragma hicuda global alloc partial[*][*]
    #pragma hicuda global alloc observed[*] clear
    #pragma hicuda global alloc between[*] clear
    #pragma hicuda global alloc random[*] clear
    count_pairs(count, blocks, 1, 1, 1, points, points, cosines, partial, observed);
    if (sets > 0) {
        count_pairs(count, blocks, sets, 1, 0, points, points + 1, cosines, partial, between);
        count_pairs(count, blocks, sets, 0, 1, points + 1, points + 1, cosines, partial, random);
    }
    #pragma hicuda global copyout observed[*]
    #pragma hicuda global copyout between[*]
    #pragma hicuda global copyout random[*]
    #pragma hicuda global free points partial observed between random
    #pragma hicuda constant remove cosines
    free(partial);
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
