/*
 * The two proteins that nw aligns, and the input of a run: shared by all forms.
 *
 * An alignment writes both sequences below each other, with gaps. As in the Rodinia suite it scores
 * for each pair of letters what the substitution matrix BLOSUM62 says, and less a penalty for each
 * letter that stands against a gap. score[i][j] is the best that the first i letters of the one and
 * the first j of the other can score.
 */
#ifndef BENCHMARKS_NW_SEQUENCES_H
#define BENCHMARKS_NW_SEQUENCES_H

#include "../common/program.h"

#define LETTERS 20 /* amino acids: A R N D C Q E G H I L K M F P S T W Y V */

/* Henikoff and Henikoff, 1992: what it is worth that one letter stands against another. */
static const signed char blosum62[LETTERS][LETTERS] = {
    {4, -1, -2, -2, 0, -1, -1, 0, -2, -1, -1, -1, -1, -2, -1, 1, 0, -3, -2, 0},
    {-1, 5, 0, -2, -3, 1, 0, -2, 0, -3, -2, 2, -1, -3, -2, -1, -1, -3, -2, -3},
    {-2, 0, 6, 1, -3, 0, 0, 0, 1, -3, -3, 0, -2, -3, -2, 1, 0, -4, -2, -3},
    {-2, -2, 1, 6, -3, 0, 2, -1, -1, -3, -4, -1, -3, -3, -1, 0, -1, -4, -3, -3},
    {0, -3, -3, -3, 9, -3, -4, -3, -3, -1, -1, -3, -1, -2, -3, -1, -1, -2, -2, -1},
    {-1, 1, 0, 0, -3, 5, 2, -2, 0, -3, -2, 1, 0, -3, -1, 0, -1, -2, -1, -2},
    {-1, 0, 0, 2, -4, 2, 5, -2, 0, -3, -3, 1, -2, -3, -1, 0, -1, -3, -2, -2},
    {0, -2, 0, -1, -3, -2, -2, 6, -2, -4, -4, -2, -3, -3, -2, 0, -2, -2, -3, -3},
    {-2, 0, 1, -1, -3, 0, 0, -2, 8, -3, -3, -1, -2, -1, -2, -1, -2, -2, 2, -3},
    {-1, -3, -3, -3, -1, -3, -3, -4, -3, 4, 2, -3, 1, 0, -3, -2, -1, -3, -1, 3},
    {-1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4, -2, 2, 0, -3, -2, -1, -2, -1, 1},
    {-1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5, -1, -3, -1, 0, -1, -3, -2, -2},
    {-1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5, 0, -2, -1, -1, -1, -1, 1},
    {-2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6, -4, -2, -2, 1, 3, -1},
    {-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7, -1, -1, -4, -3, -2},
    {1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4, 1, -3, -2, -2},
    {0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5, -2, -2, 0},
    {-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11, 2, -3},
    {-2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7, -1},
    {0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4},
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int rows, columns; /* letters of the one and of the other sequence */
    int penalty;
    int *similarity;    /* (rows + 1) x (columns + 1): of two letters; row and column 0 are unused */
    int *score;         /* (rows + 1) x (columns + 1): row and column 0 are set */
    const char *output; /* file for the scores; NULL: none is asked for */
};

static inline size_t run_cells(const struct run *run)
{
    return ((size_t)run->rows + 1) * ((size_t)run->columns + 1);
}

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

static inline int most(int a, int b)
{
    return a > b ? a : b;
}

/* Letters made up from a seed. */
static inline unsigned char *sequence_made_up(int length, uint64_t *seed)
{
    unsigned char *letters = (unsigned char *)allocate((size_t)length, 1);
    for (int i = 0; i < length; i++)
        letters[i] = (unsigned char)(random_bits(seed) % LETTERS);
    return letters;
}

/* ROWS COLUMNS PENALTY SEED [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 5 && argc != 6)
        fail("usage: %s ROWS COLUMNS PENALTY SEED [OUTPUT]", argv[0]);
    struct run run;
    run.rows = number_argument(argv[1], 1, 32768, "rows");
    run.columns = number_argument(argv[2], 1, 32768, "columns");
    run.penalty = number_argument(argv[3], 0, 1000, "penalty");
    uint64_t seed = (uint64_t)number_argument(argv[4], 0, INT32_MAX, "seed");
    run.output = argc == 6 ? argv[5] : NULL;
    const size_t width = (size_t)run.columns + 1;
    unsigned char *first = sequence_made_up(run.rows, &seed);
    unsigned char *second = sequence_made_up(run.columns, &seed);
    run.similarity = (int *)allocate(run_cells(&run), sizeof *run.similarity);
    run.score = (int *)allocate(run_cells(&run), sizeof *run.score);
    for (size_t i = 0; i <= (size_t)run.rows; i++) {
        for (size_t j = 0; j < width; j++) {
            const int inside = i > 0 && j > 0;
            run.similarity[i * width + j] = inside ? blosum62[first[i - 1]][second[j - 1]] : 0;
            run.score[i * width + j] = inside ? 0 : -run.penalty * (int)(i + j);
        }
    }
    free(first);
    free(second);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the matrices. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t cells = run_cells(run);
    printf("nw %dx%d, penalty %d, score %d: checksum %016llx\n", run->rows, run->columns,
           run->penalty, run->score[cells - 1], checksum(run->score, cells, sizeof *run->score));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (size_t i = 0; i < cells; i++)
            fprintf(file, "%d\n", run->score[i]);
        output_close(file, run->output);
    }
    free(run->similarity);
    free(run->score);
}

#endif
