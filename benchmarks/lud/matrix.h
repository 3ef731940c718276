/*
 * The matrix that lud decomposes, and the input of a run: shared by all forms.
 *
 * The decomposition is in place and without pivoting, as in the Rodinia suite: U takes the diagonal
 * and what is above it, L what is below; the diagonal of L is all ones and not kept.
 */
#ifndef BENCHMARKS_LUD_MATRIX_H
#define BENCHMARKS_LUD_MATRIX_H

#include "../common/grid.h"

#define MOST_ROWS 16384

/* A run as the command line gives it, its input in memory. */
struct run {
    int size;           /* rows, and columns */
    float *matrix;      /* size x size */
    const char *output; /* file for L and U; NULL: none is asked for */
};

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

static inline size_t run_values(const struct run *run)
{
    return (size_t)run->size * (size_t)run->size;
}

/* A matrix made up from a seed; the diagonal outweighs the rest of its row. */
static inline void matrix_generate(struct run *run, uint64_t seed)
{
    const size_t size = (size_t)run->size;
    run->matrix = grid_allocate(run_values(run));
    for (size_t i = 0; i < run_values(run); i++)
        run->matrix[i] = 2.0f * random_float(&seed) - 1.0f;
    for (size_t i = 0; i < size; i++)
        run->matrix[i * size + i] += (float)size;
}

/* Reads Rodinia's format: how many rows, then the matrix row by row. */
static inline void matrix_read(struct run *run, const char *path)
{
    char *text = text_read(path), *end;
    const long size = strtol(text, &end, 10);
    if (end == text || size < 1 || size > MOST_ROWS)
        fail("%s: rows: a number from 1 to %d expected", path, MOST_ROWS);
    run->size = (int)size;
    run->matrix = grid_allocate(run_values(run));
    for (size_t i = 0; i < run_values(run); i++) {
        const char *at = end;
        run->matrix[i] = strtof(at, &end);
        if (end == at)
            fail("%s: %zu values expected, the value after %zu cannot be read", path,
                 run_values(run), i);
    }
    if (end[strspn(end, " \t\r\n")] != '\0')
        fail("%s: more than the %zu values expected", path, run_values(run));
    free(text);
}

/* (--matrix FILE | --generate SIZE SEED) [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    const int read = argc > 1 && strcmp(argv[1], "--matrix") == 0;
    const int generate = argc > 1 && strcmp(argv[1], "--generate") == 0;
    const int given = read ? 3 : 4;
    if ((!read && !generate) || (argc != given && argc != given + 1))
        fail("usage: %s (--matrix FILE | --generate SIZE SEED) [OUTPUT]", argv[0]);
    struct run run;
    run.output = argc > given ? argv[given] : NULL;
    if (read) {
        matrix_read(&run, argv[2]);
    } else {
        run.size = number_argument(argv[2], 1, MOST_ROWS, "size");
        matrix_generate(&run, (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed"));
    }
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the matrix. */
static inline void run_finish(const struct run *run, double seconds)
{
    printf("lud %dx%d: checksum %016llx\n", run->size, run->size,
           checksum(run->matrix, run_values(run), sizeof *run->matrix));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        grid_write(run->output, run->matrix, run_values(run));
    free(run->matrix);
}

#endif
