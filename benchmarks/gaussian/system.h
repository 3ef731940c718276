/*
 * The system of linear equations that gaussian solves, and the input of a run: shared by all forms.
 *
 * The matrix and the right side stand in one array, the right side as its last column. Elimination
 * goes without pivoting, as in the Rodinia suite, and leaves its factors where zeros would be.
 */
#ifndef BENCHMARKS_GAUSSIAN_SYSTEM_H
#define BENCHMARKS_GAUSSIAN_SYSTEM_H

#include "../common/grid.h"

#define MOST_UNKNOWNS 16384

/* A run as the command line gives it, its input in memory. */
struct run {
    int size;           /* unknowns */
    float *equations;   /* size x (size + 1) */
    const char *output; /* file for the solution and the matrix; NULL: none is asked for */
};

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

static inline size_t run_values(const struct run *run)
{
    return (size_t)run->size * ((size_t)run->size + 1);
}

/* Coefficients and right sides made up from a seed; the diagonal outweighs the rest of its row. */
static inline void system_generate(struct run *run, uint64_t seed)
{
    const size_t width = (size_t)run->size + 1;
    run->equations = grid_allocate(run_values(run));
    for (size_t i = 0; i < run_values(run); i++)
        run->equations[i] = 2.0f * random_float(&seed) - 1.0f;
    for (size_t i = 0; i < (size_t)run->size; i++)
        run->equations[i * width + i] += (float)run->size;
}

/*
 * Reads Rodinia's format: how many unknowns, the matrix row by row, the right side and, in files
 * that have it, the solution, which nobody asks for.
 */
static inline void system_read(struct run *run, const char *path)
{
    char *text = text_read(path), *at = text, *end;
    const long size = strtol(at, &end, 10);
    if (end == at || size < 1 || size > MOST_UNKNOWNS)
        fail("%s: unknowns: a number from 1 to %d expected", path, MOST_UNKNOWNS);
    run->size = (int)size;
    run->equations = grid_allocate(run_values(run));
    const size_t n = (size_t)size, count = n * n + n;
    size_t values = 0;
    for (at = end; at[strspn(at, " \t\r\n")] != '\0'; at = end) {
        const float value = strtof(at, &end);
        if (end == at)
            fail("%s: the value after %zu cannot be read", path, values);
        if (values < n * n)
            run->equations[values / n * (n + 1) + values % n] = value;
        else if (values < count)
            run->equations[(values - n * n) * (n + 1) + n] = value;
        values++;
    }
    if (values != count && values != count + n)
        fail("%s: %zu values expected, or %zu with the solution, found %zu", path, count, count + n,
             values);
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
        system_read(&run, argv[2]);
    } else {
        run.size = number_argument(argv[2], 1, MOST_UNKNOWNS, "size");
        system_generate(&run, (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed"));
    }
    return run;
}

/* The solution of a system that elimination has made triangular, from the last unknown up. */
static inline float *substitute(const struct run *run)
{
    const int size = run->size;
    const float (*a)[size + 1] = (const float (*)[size + 1])run->equations;
    float *solution = grid_allocate((size_t)size);
    for (int i = size - 1; i >= 0; i--) {
        solution[i] = a[i][size];
        for (int j = size - 1; j > i; j--)
            solution[i] -= a[i][j] * solution[j];
        solution[i] /= a[i][i];
    }
    return solution;
}

/*
 * Solves the triangular system, prints the result line, the time on a line of its own, and the
 * output file: the solution, then the matrix and right side; frees everything. The time is that of
 * the elimination.
 */
static inline void run_finish(const struct run *run, double seconds)
{
    float *solution = substitute(run);
    const size_t size = (size_t)run->size;
    printf("gaussian %dx%d: checksum %016llx\n", run->size, run->size,
           checksum(run->equations, run_values(run), sizeof *run->equations) ^
               checksum(solution, size, sizeof *solution) << 1);
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        grid_print(file, solution, size);
        grid_print(file, run->equations, run_values(run));
        output_close(file, run->output);
    }
    free(solution);
    free(run->equations);
}

#endif
