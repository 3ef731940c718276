/*
 * The points that streamcluster groups, and the input of a run: shared by all forms.
 *
 * The task is that of the Rodinia suite: points come in chunks, and for each chunk centres are
 * chosen among its points, so that what they cost is little: a price for each centre, and for each
 * point its weight times the square of its distance to its centre (facility location). The
 * price is bisected until there are as many centres as are asked for. The centres of a chunk, each
 * with the weights of its points, go on to a last chunk, whose centres are the result.
 *
 * Made-up coordinates are integers from 0 to 255, so that costs are whole numbers and sums of them
 * exact in double, the same in any order. For the coordinates of a file that holds as far as 53 bits
 * are enough for the sums.
 */
#ifndef BENCHMARKS_STREAMCLUSTER_STREAM_H
#define BENCHMARKS_STREAMCLUSTER_STREAM_H

#include <math.h>

#include "../common/grid.h"

#define MOST_DIMENSIONS 256
#define MOST_POINTS (1 << 24)

/* A run as the command line gives it, its input in memory. */
struct run {
    int dimensions, fewest, most; /* centres of a chunk */
    int chunk, points;
    uint64_t seed; /* of the search */
    float *values;      /* points x dimensions */
    const char *output; /* file for the centres; NULL: none is asked for */
};

/* Reads Rodinia's format: the coordinates of one point after the other, in binary float. */
static inline void points_read(struct run *run, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail("%s: %s", path, strerror(errno));
    const size_t bytes = sizeof(float) * (size_t)run->dimensions;
    const long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    if (length <= 0 || (size_t)length % bytes != 0 || (size_t)length / bytes > MOST_POINTS)
        fail("%s: 1 to %d points of %zu bytes expected", path, MOST_POINTS, bytes);
    run->points = (int)((size_t)length / bytes);
    run->values = grid_allocate((size_t)length / sizeof(float));
    if (fread(run->values, bytes, (size_t)run->points, file) != (size_t)run->points)
        fail("%s: cannot be read", path);
    fclose(file);
    for (size_t i = 0; i < (size_t)length / sizeof(float); i++) {
        if (!isfinite(run->values[i]))
            fail("%s: coordinate %zu is no number", path, i);
    }
}

/* DIMENSIONS FEWEST MOST CHUNK SEED (--points FILE | --generate POINTS) [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    const int read = argc > 6 && strcmp(argv[6], "--points") == 0;
    const int generate = argc > 6 && strcmp(argv[6], "--generate") == 0;
    if ((!read && !generate) || (argc != 8 && argc != 9))
        fail("usage: %s DIMENSIONS FEWEST MOST CHUNK SEED (--points FILE | --generate POINTS) "
             "[OUTPUT]",
             argv[0]);
    struct run run;
    run.dimensions = number_argument(argv[1], 1, MOST_DIMENSIONS, "dimensions");
    run.fewest = number_argument(argv[2], 1, 4096, "fewest");
    run.most = number_argument(argv[3], run.fewest, 4096, "most");
    run.chunk = number_argument(argv[4], 1, MOST_POINTS, "chunk");
    uint64_t seed = (uint64_t)number_argument(argv[5], 0, INT32_MAX, "seed");
    run.seed = ~seed;
    run.output = argc == 9 ? argv[8] : NULL;
    if (read) {
        points_read(&run, argv[7]);
    } else {
        run.points = number_argument(argv[7], 1, MOST_POINTS, "points");
        const size_t values = (size_t)run.points * (size_t)run.dimensions;
        run.values = grid_allocate(values);
        for (size_t i = 0; i < values; i++)
            run.values[i] = (float)(random_bits(&seed) % 256);
    }
    return run;
}

#endif
