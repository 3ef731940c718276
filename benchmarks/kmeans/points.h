/*
 * The points that kmeans groups, and the input of a run: shared by all forms.
 *
 * Lloyd's method: each point belongs to the cluster whose centre is nearest, the first of equals;
 * then each centre moves to the mean of its points, and a cluster without points keeps its centre.
 * The first points are the first centres. It ends when no point changes its cluster.
 *
 * Made-up features are integers from 0 to 255, so that sums of them are exact in double, and the
 * same in any order. For features of a file that holds as far as 53 bits are enough for the sum.
 */
#ifndef BENCHMARKS_KMEANS_POINTS_H
#define BENCHMARKS_KMEANS_POINTS_H

#include <float.h>

#include "../common/grid.h"

#define MOST_FEATURES 1024

/* A run as the command line gives it, its input in memory. */
struct run {
    int points, features, clusters, steps;
    float *values;      /* points x features */
    float *centers;     /* clusters x features: the first points */
    const char *output; /* file for clusters of the points, and centres; NULL: none is asked for */
};

static inline size_t run_values(const struct run *run)
{
    return (size_t)run->points * (size_t)run->features;
}

static inline size_t run_coordinates(const struct run *run)
{
    return (size_t)run->clusters * (size_t)run->features;
}

/* How many words a line has; `*end` is behind it. */
static inline int words_of_line(const char *line, const char **end)
{
    int words = 0;
    for (*end = line; **end != '\0' && **end != '\n'; words++) {
        *end += strspn(*end, " \t\r");
        if (**end == '\0' || **end == '\n')
            break;
        *end += strcspn(*end, " \t\r\n");
    }
    *end += **end == '\n';
    return words;
}

/*
 * Reads Rodinia's format: a line for each point, its number, which nobody asks for, and its
 * features, as many in each line.
 */
static inline void points_read(struct run *run, const char *path)
{
    char *text = text_read(path);
    const char *next;
    run->points = 0;
    run->features = words_of_line(text, &next) - 1;
    if (run->features < 1 || run->features > MOST_FEATURES)
        fail("%s: a point has 1 to %d features", path, MOST_FEATURES);
    for (const char *line = text; *line != '\0'; line = next) {
        const int words = words_of_line(line, &next);
        if (words != 0 && words != run->features + 1)
            fail("%s: a point has %d features, another %d", path, run->features, words - 1);
        run->points += words != 0;
    }
    run->values = grid_allocate(run_values(run));
    char *at = text;
    for (size_t i = 0; i < run_values(run); i++) {
        char *end;
        if (i % (size_t)run->features == 0) {
            at += strspn(at, " \t\r\n");
            at += strcspn(at, " \t\r\n"); /* the number */
        }
        run->values[i] = strtof(at, &end);
        if (end == at)
            fail("%s: the feature after %zu cannot be read", path, i);
        at = end;
    }
    free(text);
}

/* CLUSTERS STEPS (--points FILE | --generate POINTS FEATURES SEED) [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    const int read = argc > 3 && strcmp(argv[3], "--points") == 0;
    const int generate = argc > 3 && strcmp(argv[3], "--generate") == 0;
    const int given = read ? 5 : 7;
    if ((!read && !generate) || (argc != given && argc != given + 1))
        fail("usage: %s CLUSTERS STEPS (--points FILE | --generate POINTS FEATURES SEED) [OUTPUT]",
             argv[0]);
    struct run run;
    run.output = argc > given ? argv[given] : NULL;
    run.steps = number_argument(argv[2], 0, 1000000, "steps");
    if (read) {
        points_read(&run, argv[4]);
    } else {
        run.points = number_argument(argv[4], 1, 1 << 24, "points");
        run.features = number_argument(argv[5], 1, MOST_FEATURES, "features");
        uint64_t seed = (uint64_t)number_argument(argv[6], 0, INT32_MAX, "seed");
        run.values = grid_allocate(run_values(&run));
        for (size_t i = 0; i < run_values(&run); i++)
            run.values[i] = (float)(random_bits(&seed) % 256);
    }
    const int most = run.points < 4096 ? run.points : 4096;
    run.clusters = number_argument(argv[1], 1, most, "clusters");
    run.centers = grid_allocate(run_coordinates(&run));
    memcpy(run.centers, run.values, run_coordinates(&run) * sizeof *run.centers);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, const int *membership, int steps,
                              double seconds)
{
    const size_t points = (size_t)run->points;
    printf("kmeans %d points, %d clusters, %d steps: checksum %016llx\n", run->points,
           run->clusters, steps,
           checksum(membership, points, sizeof *membership) ^
               checksum(run->centers, run_coordinates(run), sizeof *run->centers) << 1);
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (size_t i = 0; i < points; i++)
            fprintf(file, "%d\n", membership[i]);
        grid_print(file, run->centers, run_coordinates(run));
        output_close(file, run->output);
    }
    free(run->values);
    free(run->centers);
}

#endif
