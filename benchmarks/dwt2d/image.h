/*
 * The image that dwt2d transforms, and the input of a run: shared by all forms.
 *
 * The task is that of the Rodinia suite: the discrete wavelet transform of JPEG 2000, by lifting
 * (Daubechies and Sweldens, "Factoring wavelet transforms into lifting steps", 1998). A step of a
 * filter adds to every second sample of a line something of its two neighbours, the first step to
 * the odd ones, the next to the even ones. Then the even samples are a coarser line, the odd ones
 * what it lacks. A line goes on beyond its ends as its mirror image. A level does this to all
 * columns, then to all rows, and moves the even samples before the odd ones; the next level has the
 * corner that is coarser in both directions.
 *
 * The 5/3 filter is reversible: its values are whole numbers below 2^24, which float holds exactly.
 */
#ifndef BENCHMARKS_DWT2D_IMAGE_H
#define BENCHMARKS_DWT2D_IMAGE_H

#include <math.h>

#include "../common/grid.h"

#define MOST_GREY 255
#define MIDDLE_GREY 128.0f
#define MOST_PIXELS 16384 /* in a row and in a column */
#define MOST_LEVELS 14
#define STEPS_53 2        /* of the 5/3 filter */
#define STEPS_97 4        /* of the 9/7 filter */
#define GAIN 1.230174105f /* of the 9/7 filter, for odd samples */

/* A run as the command line gives it, its input in memory. */
struct run {
    int steps; /* of the filter, which is known by them */
    int levels, rows, columns;
    float *pixels;      /* rows x columns, 0 in the middle of the greys */
    const char *output; /* file for the transformed image; NULL: none is asked for */
};

static inline size_t run_pixels(const struct run *run)
{
    return (size_t)run->rows * (size_t)run->columns;
}

/* Half of an extent: the even samples, which are one more if it is odd. */
ON_DEVICE static inline int half_of(int extent)
{
    return (extent + 1) / 2;
}

/* A sample after a step of a filter of so many; `sum` is that of its neighbours. */
ON_DEVICE static inline float lift(int steps, int step, float own, float sum)
{
    if (steps == STEPS_53)
        return step == 0 ? own - floorf(0.5f * sum) : own + floorf(0.25f * (sum + 2.0f));
    const float share = step == 0   ? -1.586134342f
                        : step == 1 ? -0.05298011854f
                        : step == 2 ? 0.8829110762f
                                    : 0.4435068522f;
    return own + share * sum;
}

/* What a sample of a line of such an extent is multiplied with in the end. */
ON_DEVICE static inline float gain(int steps, int extent, int place)
{
    if (steps == STEPS_53 || extent == 1)
        return 1.0f;
    return place % 2 == 0 ? 1.0f / GAIN : GAIN;
}

/* Whether a sample is part of the image that the next level has. */
ON_DEVICE static inline int is_coarse(int row, int column)
{
    return row % 2 == 0 && column % 2 == 0;
}

/* Where a sample of a line goes: the odd ones are behind the even ones. */
ON_DEVICE static inline int place_of(int extent, int place)
{
    return place % 2 == 0 ? place / 2 : half_of(extent) + place / 2;
}

/* The next number of an image's text, from `low` to `high`; comments run to the end of a line. */
static inline int image_number(const char *path, char **at, int low, int high, const char *what)
{
    char *text = *at;
    for (text += strspn(text, " \t\r\n"); *text == '#'; text += strspn(text, " \t\r\n"))
        text += strcspn(text, "\n");
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || errno != 0 || value < low || value > high)
        fail("%s: %s: a number from %d to %d expected", path, what, low, high);
    *at = end;
    return (int)value;
}

/* Reads a grey image in the plain PGM format. */
static inline void image_read(struct run *run, const char *path)
{
    char *text = text_read(path), *at = text;
    if (strncmp(at, "P2", 2) != 0)
        fail("%s: no plain PGM image: it does not begin with P2", path);
    at += 2;
    run->columns = image_number(path, &at, 1, MOST_PIXELS, "columns");
    run->rows = image_number(path, &at, 1, MOST_PIXELS, "rows");
    const int most = image_number(path, &at, 1, MOST_GREY, "the lightest grey");
    run->pixels = grid_allocate(run_pixels(run));
    for (size_t i = 0; i < run_pixels(run); i++)
        run->pixels[i] = (float)image_number(path, &at, 0, most, "a pixel") - MIDDLE_GREY;
    if (at[strspn(at, " \t\r\n")] != '\0')
        fail("%s: more than %d x %d pixels", path, run->columns, run->rows);
    free(text);
}

/* An image made up from a seed: a wide slope with edges and a little noise. */
static inline void image_generate(struct run *run, uint64_t seed)
{
    run->pixels = grid_allocate(run_pixels(run));
    for (int row = 0; row < run->rows; row++) {
        for (int column = 0; column < run->columns; column++) {
            const int slope = (row * 3 + column * 2) % 160;
            const int edge = (row / 24 + column / 40) % 2 * 64;
            const int noise = (int)(random_bits(&seed) % 32);
            run->pixels[(size_t)row * (size_t)run->columns + (size_t)column] =
                (float)(slope + edge + noise) - MIDDLE_GREY;
        }
    }
}

/* (5/3 | 9/7) LEVELS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    const int reversible = argc > 1 && strcmp(argv[1], "5/3") == 0;
    const int filter = reversible || (argc > 1 && strcmp(argv[1], "9/7") == 0);
    const int read = argc > 3 && strcmp(argv[3], "--image") == 0;
    const int generate = argc > 3 && strcmp(argv[3], "--generate") == 0;
    const int given = read ? 5 : 7;
    if (!filter || (!read && !generate) || (argc != given && argc != given + 1))
        fail("usage: %s (5/3 | 9/7) LEVELS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]",
             argv[0]);
    struct run run;
    run.steps = reversible ? STEPS_53 : STEPS_97;
    run.levels = number_argument(argv[2], 1, MOST_LEVELS, "levels");
    run.output = argc > given ? argv[given] : NULL;
    if (read) {
        image_read(&run, argv[4]);
    } else {
        run.rows = number_argument(argv[4], 1, MOST_PIXELS, "rows");
        run.columns = number_argument(argv[5], 1, MOST_PIXELS, "columns");
        image_generate(&run, (uint64_t)number_argument(argv[6], 0, INT32_MAX, "seed"));
    }
    return run;
}

/* The result line, the time on a line of its own, and the output file. */
static inline void run_report(const struct run *run, const float *result, double seconds)
{
    printf("dwt2d %s %dx%d, %d levels: checksum %016llx\n",
           run->steps == STEPS_53 ? "5/3" : "9/7", run->rows, run->columns, run->levels,
           checksum(result, run_pixels(run), sizeof *result));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL)
        grid_write(run->output, result, run_pixels(run));
}

#endif
