/*
 * Sums of absolute differences, for the search for motion in a video. The serial form.
 *
 * usage: sad_serial ROWS COLUMNS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "frames.h"

/* The sums of all blocks of 4 x 4 at all displacements. */
static void compare_blocks(int rows, int columns,
                           const unsigned char (*restrict current)[MACRO * columns],
                           const unsigned char (*restrict reference)[MACRO * columns + 2 * SEARCH],
                           struct sums (*restrict sums)[columns])
{
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
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
        }
    }
}

/* The sums of all blocks of 8 x 8, and of macroblocks. */
static void add_blocks(int rows, int columns, struct sums (*restrict sums)[columns])
{
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            struct sums *own = &sums[row][column];
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
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int rows = run.rows, columns = run.columns;
    struct sums(*sums)[columns] = (struct sums(*)[columns])run.sums;
    const double start = clock_seconds();
    compare_blocks(rows, columns, (const unsigned char (*)[MACRO * columns])run.current,
                   (const unsigned char (*)[MACRO * columns + 2 * SEARCH])run.reference, sums);
    add_blocks(rows, columns, sums);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
