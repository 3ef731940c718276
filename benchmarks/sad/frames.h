/*
 * Two frames of a video, the sums that an encoder's search for motion asks for, and the input of a
 * run: shared by all forms of sad.
 *
 * A frame is made of macroblocks of 16 x 16 pixels, a macroblock of 16 blocks of 4 x 4. Each block is
 * compared with the reference frame at all displacements of up to SEARCH pixels either way; the
 * sums for blocks of 8 x 8 and 16 x 16 follow from these. The reference has a margin of SEARCH pixels
 * around it, which repeats its edge.
 */
#ifndef BENCHMARKS_SAD_FRAMES_H
#define BENCHMARKS_SAD_FRAMES_H

#include "../common/program.h"

#define MACRO 16  /* rows and columns of a macroblock */
#define SEARCH 16 /* pixels that a block may have moved by */
#define SIDE (2 * SEARCH + 1)
#define POSITIONS (SIDE * SIDE)
#define WINDOW (MACRO + 2 * SEARCH) /* rows and columns of the reference that a macroblock sees */

/* Sums of a macroblock at all displacements: of its blocks of 4 x 4, of 8 x 8, and of the whole. */
struct sums {
    unsigned short of_4[16][POSITIONS];
    unsigned short of_8[4][POSITIONS];
    unsigned short of_16[POSITIONS];
};

/* A run as the command line gives it, its input in memory; sizes are in macroblocks. */
struct run {
    int rows, columns;
    unsigned char *current;   /* MACRO * rows x MACRO * columns pixels */
    unsigned char *reference; /* 2 * SEARCH more either way */
    struct sums *sums;        /* rows x columns */
    const char *output;       /* file for them; NULL: none is asked for */
};

static inline int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* ROWS COLUMNS SEED [OUTPUT]: the current frame is the reference, moved and with noise. */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        fail("usage: %s ROWS COLUMNS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.rows = number_argument(argv[1], 1, 512, "rows");
    run.columns = number_argument(argv[2], 1, 512, "columns");
    uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
    run.output = argc == 5 ? argv[4] : NULL;
    const int height = MACRO * run.rows, width = MACRO * run.columns;
    const int wide = width + 2 * SEARCH;
    run.current = (unsigned char *)allocate((size_t)height * (size_t)width, 1);
    run.reference = (unsigned char *)allocate((size_t)(height + 2 * SEARCH) * (size_t)wide, 1);
    run.sums = (struct sums *)allocate((size_t)run.rows * (size_t)run.columns, sizeof *run.sums);
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++)
            run.reference[(i + SEARCH) * wide + j + SEARCH] =
                (unsigned char)(random_bits(&seed) >> 56);
    for (int i = 0; i < height + 2 * SEARCH; i++)
        for (int j = 0; j < wide; j++)
            run.reference[i * wide + j] =
                run.reference[clamp(i, SEARCH, SEARCH + height - 1) * wide +
                              clamp(j, SEARCH, SEARCH + width - 1)];
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            const int noise = (int)(random_bits(&seed) >> 60);
            const int moved = run.reference[(i + SEARCH + 3) * wide + j + SEARCH - 2];
            run.current[i * width + j] = (unsigned char)clamp(moved + noise, 0, 255);
        }
    return run;
}

static inline void sums_print(FILE *file, const unsigned short *sums, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%d\n", sums[i]);
}

/* The result line, the time on a line of its own, and the output file; frees frames and sums. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t count = (size_t)run->rows * (size_t)run->columns;
    printf("sad %dx%d: checksum %016llx\n", run->rows, run->columns,
           checksum(run->sums, count, sizeof *run->sums));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (size_t i = 0; i < count; i++) {
            sums_print(file, run->sums[i].of_4[0], 16 * POSITIONS);
            sums_print(file, run->sums[i].of_8[0], 4 * POSITIONS);
            sums_print(file, run->sums[i].of_16, POSITIONS);
        }
        output_close(file, run->output);
    }
    free(run->current);
    free(run->reference);
    free(run->sums);
}

#endif
