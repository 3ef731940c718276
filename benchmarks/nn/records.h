/*
 * The records that nn searches, and the input of a run: shared by all forms.
 *
 * The task is that of the Rodinia suite: of records of hurricanes, each with the latitude and the
 * longitude where it was, those nearest to a place, by the distance in the plane of degrees. Of
 * records at the same distance the first is the nearest.
 */
#ifndef BENCHMARKS_NN_RECORDS_H
#define BENCHMARKS_NN_RECORDS_H

#include <math.h>

#include "../common/program.h"

/* A record of Rodinia's files: 48 characters and the end of the line. */
#define RECORD_LENGTH 49
#define LATITUDE_AT 28
#define LONGITUDE_AT 32
#define LONGITUDE_END 38

struct place {
    float latitude, longitude; /* degrees */
};

struct neighbour {
    int record;
    float distance;
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int wanted; /* how many of the nearest */
    struct place target;
    int count;
    struct place *places;
    const char *output; /* file for the nearest; NULL: none is asked for */
};

ON_DEVICE static inline float distance_between(struct place a, struct place b)
{
    const float latitude = a.latitude - b.latitude, longitude = a.longitude - b.longitude;
    return sqrtf(latitude * latitude + longitude * longitude);
}

/* The number in the columns of a record from `begin` up to `end`. */
static inline float record_number(const char *path, int record, const char *text, int begin,
                                  int end)
{
    char field[RECORD_LENGTH], *after;
    memcpy(field, text + begin, (size_t)(end - begin));
    field[end - begin] = '\0';
    const float value = strtof(field, &after);
    if (after == field || after[strspn(after, " ")] != '\0')
        fail("%s: record %d: no number in columns %d to %d", path, record, begin + 1, end);
    return value;
}

/* Reads the places of all records of a file. */
static inline void records_read(struct run *run, const char *path)
{
    char *text = text_read(path);
    const size_t length = strlen(text);
    if (length == 0 || length % RECORD_LENGTH != 0 || length / RECORD_LENGTH > INT32_MAX)
        fail("%s: records of %d characters expected", path, RECORD_LENGTH);
    run->count = (int)(length / RECORD_LENGTH);
    run->places = (struct place *)allocate((size_t)run->count, sizeof *run->places);
    for (int i = 0; i < run->count; i++) {
        const char *record = text + (size_t)i * RECORD_LENGTH;
        if (record[RECORD_LENGTH - 1] != '\n')
            fail("%s: record %d: %d characters expected", path, i, RECORD_LENGTH);
        run->places[i].latitude = record_number(path, i, record, LATITUDE_AT, LONGITUDE_AT);
        run->places[i].longitude = record_number(path, i, record, LONGITUDE_AT, LONGITUDE_END);
    }
    free(text);
}

/*
 * Places made up from a seed, in the tenths of degrees that records have: latitudes from 7 to 70,
 * longitudes below 360. One in four is that of an earlier record.
 */
static inline void records_generate(struct run *run, int count, uint64_t seed)
{
    run->count = count;
    run->places = (struct place *)allocate((size_t)count, sizeof *run->places);
    for (int i = 0; i < count; i++) {
        if (i > 0 && random_bits(&seed) % 4 == 0) {
            run->places[i] = run->places[random_bits(&seed) % (uint64_t)i];
        } else {
            run->places[i].latitude = (float)(70 + random_bits(&seed) % 631) / 10.0f;
            run->places[i].longitude = (float)(random_bits(&seed) % 3600) / 10.0f;
        }
    }
}

/* An argument that is a number of degrees from 0 to `high`; `what` says which one it is. */
static inline float degrees_argument(const char *text, float high, const char *what)
{
    char *end;
    const float value = strtof(text, &end);
    if (end == text || *end != '\0' || !(value >= 0.0f && value <= high))
        fail("%s: %s must be a number from 0 to %g", text, what, high);
    return value;
}

/* NEAREST LATITUDE LONGITUDE (--records FILE | --generate COUNT SEED) [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    const int read = argc > 4 && strcmp(argv[4], "--records") == 0;
    const int generate = argc > 4 && strcmp(argv[4], "--generate") == 0;
    const int given = read ? 6 : 7;
    if ((!read && !generate) || (argc != given && argc != given + 1))
        fail("usage: %s NEAREST LATITUDE LONGITUDE (--records FILE | --generate COUNT SEED) "
             "[OUTPUT]",
             argv[0]);
    struct run run;
    run.target.latitude = degrees_argument(argv[2], 90.0f, "latitude");
    run.target.longitude = degrees_argument(argv[3], 360.0f, "longitude");
    if (read) {
        records_read(&run, argv[5]);
    } else {
        const int count = number_argument(argv[5], 1, 1 << 28, "count");
        records_generate(&run, count, (uint64_t)number_argument(argv[6], 0, INT32_MAX, "seed"));
    }
    run.wanted = number_argument(argv[1], 1, run.count, "nearest");
    run.output = argc > given ? argv[given] : NULL;
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the places. */
static inline void run_finish(const struct run *run, const struct neighbour *nearest,
                              double seconds)
{
    printf("nn %d of %d: checksum %016llx\n", run->wanted, run->count,
           checksum(nearest, (size_t)run->wanted, sizeof *nearest));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (int i = 0; i < run->wanted; i++)
            fprintf(file, "%d %.9g\n", nearest[i].record, nearest[i].distance);
        output_close(file, run->output);
    }
    free(run->places);
}

#endif
