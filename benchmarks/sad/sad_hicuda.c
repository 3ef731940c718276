/*
 * Sums of absolute differences, for the search for motion in a video. The hiCUDA form.
 *
 * A block has a macroblock: it and the part of the reference that it may have come from stand in
 * shared memory, and threads take displacements in turn.
 *
 * usage: sad_hicuda ROWS COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "frames.h"

#ifndef BLOCK
#define BLOCK 128 /* threads of a macroblock */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/* The sums of all blocks of 4 x 4 at all displacements. */
static void compare_blocks(int rows, int columns,
                           const unsigned char (*restrict current)[MACRO * columns],
                           const unsigned char (*restrict reference)[MACRO * columns + 2 * SEARCH],
                           struct sums (*restrict sums)[columns])
{
    #pragma hicuda kernel sad_of_4 tblock(rows, columns) thread(BLOCK)
    #pragma hicuda loop_partition over_tblock
    for (int row = 0; row < rows; row++) {
        #pragma hicuda loop_partition over_tblock
        for (int column = 0; column < columns; column++) {
            #pragma hicuda shared alloc current[MACRO * row:MACRO * row + MACRO - 1] \
                                               [MACRO * column:MACRO * column + MACRO - 1] copyin
            #pragma hicuda shared alloc reference[MACRO * row:MACRO * row + WINDOW - 1] \
                                                 [MACRO * column:MACRO * column + WINDOW - 1] copyin
            #pragma hicuda barrier
            #pragma hicuda loop_partition over_thread
            for (int p = 0; p < POSITIONS; p++) {
                for (int block = 0; block < 16; block++) {
                    const int top = MACRO * row + block / 4 * 4;
                    const int left = MACRO * column + block % 4 * 4;
                    int sum = 0;
                    for (int y = 0; y < 4; y++)
                        for (int x = 0; x < 4; x++)
                            sum += abs(current[top + y][left + x] -
                                       reference[top + y + p / SIDE][left + x + p % SIDE]);
                    sums[row][column].of_4[block][p] = (unsigned short)sum;
                }
            }
            #pragma hicuda barrier
            #pragma hicuda shared remove current reference
        }
    }
    #pragma hicuda kernel_end
}

/* The sums of all blocks of 8 x 8, and of macroblocks. */
static void add_blocks(int rows, int columns, struct sums (*restrict sums)[columns])
{
    #pragma hicuda kernel sad_of_8_and_16 tblock(rows, columns) thread(BLOCK)
    #pragma hicuda loop_partition over_tblock
    for (int row = 0; row < rows; row++) {
        #pragma hicuda loop_partition over_tblock
        for (int column = 0; column < columns; column++) {
            struct sums *own = &sums[row][column];
            #pragma hicuda loop_partition over_thread
            for (int p = 0; p < POSITIONS; p++) {
                int whole = 0;
                for (int quarter = 0; quarter < 4; quarter++) {
                    const int block = quarter / 2 * 8 + quarter % 2 * 2;
                    const int sum = own->of_4[block][p] + own->of_4[block + 1][p] +
                                    own->of_4[block + 4][p] + own->of_4[block + 5][p];
                    own->of_8[quarter][p] = (unsigned short)sum;
                    whole += sum;
                }
                own->of_16[p] = (unsigned short)whole;
            }
        }
    }
    #pragma hicuda kernel_end
}

/* Both on the device, between which the sums stay there. */
static void search(int rows, int columns,
                   const unsigned char (*restrict current)[MACRO * columns],
                   const unsigned char (*restrict reference)[MACRO * columns + 2 * SEARCH],
                   struct sums (*restrict sums)[columns])
{
    #pragma hicuda shape current[MACRO * rows][MACRO * columns]
    #pragma hicuda shape reference[MACRO * rows + 2 * SEARCH][MACRO * columns + 2 * SEARCH]
    #pragma hicuda shape sums[rows][columns]
    #pragma hicuda global alloc current[*][*] copyin
    #pragma hicuda global alloc reference[*][*] copyin
    #pragma hicuda global alloc sums[*][*]
    compare_blocks(rows, columns, current, reference, sums);
    add_blocks(rows, columns, sums);
    #pragma hicuda global copyout sums[*][*]
    #pragma hicuda global free current reference sums
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int columns = run.columns;
    const double start = clock_seconds();
    search(run.rows, columns, (const unsigned char (*)[MACRO * columns])run.current,
           (const unsigned char (*)[MACRO * columns + 2 * SEARCH])run.reference,
           (struct sums(*)[columns])run.sums);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
