/*
 * The image that srad smooths, and the input of a run: shared by all forms.
 *
 * Yu and Acton, "Speckle reducing anisotropic diffusion" (2002), in the form of the Rodinia suite:
 * grey values from 0 to 255 become intensities exp(grey / 255), which a step lets flow between
 * neighbours, the less the more they differ, compared with how uneven the whole image is.
 *
 * In float each intensity and its square is a multiple of 2^-24 and below 8. So sums of them in
 * double are exact, and the same in any order, for images of up to 2^26 pixels.
 */
#ifndef BENCHMARKS_SRAD_IMAGE_H
#define BENCHMARKS_SRAD_IMAGE_H

#include <math.h>

#include "../common/grid.h"

#define LAMBDA 0.5f /* how far a step goes */
#define MOST_GREY 255
#define MOST_PIXELS 8192 /* in a row and in a column */

/* A run as the command line gives it, its input in memory. */
struct run {
    int rows, columns, steps;
    float *intensities; /* rows x columns */
    const char *output; /* file for the grey values at the end; NULL: none is asked for */
};

static inline size_t run_pixels(const struct run *run)
{
    return (size_t)run->rows * (size_t)run->columns;
}

/*
 * How uneven an image is: the variance of its intensities over the square of their mean; a
 * little more than 0 where all are equal. `sum` and `squares` add up the intensities and their
 * squares.
 */
ON_DEVICE static inline float unevenness(size_t pixels, double sum, double squares)
{
    const double mean = sum / (double)pixels;
    const double uneven = (squares / (double)pixels - mean * mean) / (mean * mean);
    return uneven > 1e-30 ? (float)uneven : 1e-30f;
}

/*
 * How readily a pixel exchanges with its neighbours, from 0 to 1: `here` is its intensity, the
 * others are what its neighbours have more, `uneven` is the whole image's unevenness.
 */
ON_DEVICE static inline float diffusion(float here, float north, float south, float west,
                                        float east, float uneven)
{
    const float gradient =
        (north * north + south * south + west * west + east * east) / (here * here);
    const float laplacian = (north + south + west + east) / here;
    const float numerator = 0.5f * gradient - 0.0625f * (laplacian * laplacian);
    const float denominator = 1.0f + 0.25f * laplacian;
    const float own = numerator / (denominator * denominator);
    const float coefficient = 1.0f / (1.0f + (own - uneven) / (uneven * (1.0f + uneven)));
    return coefficient < 0.0f ? 0.0f : coefficient > 1.0f ? 1.0f : coefficient;
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

/* Reads a grey image in the plain PGM format, as the suite has it. Returns the grey values. */
static inline float *image_read(struct run *run, const char *path)
{
    char *text = text_read(path), *at = text;
    if (strncmp(at, "P2", 2) != 0)
        fail("%s: no plain PGM image: it does not begin with P2", path);
    at += 2;
    run->columns = image_number(path, &at, 1, MOST_PIXELS, "columns");
    run->rows = image_number(path, &at, 1, MOST_PIXELS, "rows");
    const int most = image_number(path, &at, 1, MOST_GREY, "the lightest grey");
    float *grey = grid_allocate(run_pixels(run));
    for (size_t i = 0; i < run_pixels(run); i++)
        grey[i] = (float)image_number(path, &at, 0, most, "a pixel");
    if (at[strspn(at, " \t\r\n")] != '\0')
        fail("%s: more than %d x %d pixels", path, run->columns, run->rows);
    free(text);
    return grey;
}

/* Grey values made up from a seed: discs on a dark ground, all of it speckled. */
static inline float *image_made_up(const struct run *run, uint64_t seed)
{
    const int least = run->rows < run->columns ? run->rows : run->columns;
    const int period = least < 64 ? least : 64;
    float *grey = grid_allocate(run_pixels(run));
    for (int row = 0; row < run->rows; row++) {
        for (int column = 0; column < run->columns; column++) {
            const int y = row % period - period / 2, x = column % period - period / 2;
            const int ground = 9 * (y * y + x * x) < period * period ? 160 : 64;
            const int speckle = (int)(random_bits(&seed) % 96);
            grey[(size_t)row * (size_t)run->columns + (size_t)column] = (float)(ground + speckle);
        }
    }
    return grey;
}

/* STEPS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    const int read = argc > 2 && strcmp(argv[2], "--image") == 0;
    const int generate = argc > 2 && strcmp(argv[2], "--generate") == 0;
    const int given = read ? 4 : 6;
    if ((!read && !generate) || (argc != given && argc != given + 1))
        fail("usage: %s STEPS (--image FILE | --generate ROWS COLUMNS SEED) [OUTPUT]", argv[0]);
    struct run run;
    float *grey;
    run.steps = number_argument(argv[1], 0, 1000000, "steps");
    run.output = argc > given ? argv[given] : NULL;
    if (read) {
        grey = image_read(&run, argv[3]);
    } else {
        run.rows = number_argument(argv[3], 1, MOST_PIXELS, "rows");
        run.columns = number_argument(argv[4], 1, MOST_PIXELS, "columns");
        grey = image_made_up(&run, (uint64_t)number_argument(argv[5], 0, INT32_MAX, "seed"));
    }
    for (size_t i = 0; i < run_pixels(&run); i++)
        grey[i] = expf(grey[i] / (float)MOST_GREY);
    run.intensities = grey;
    return run;
}

/* The result line, the time on a line of its own, and the output file with grey values. */
static inline void run_report(const struct run *run, const float *intensities, double seconds)
{
    const size_t pixels = run_pixels(run);
    printf("srad %dx%d, %d steps: checksum %016llx\n", run->rows, run->columns, run->steps,
           checksum(intensities, pixels, sizeof *intensities));
    printf("time %.6f s\n", seconds);
    if (run->output == NULL)
        return;
    FILE *file = output_open(run->output);
    for (size_t i = 0; i < pixels; i++)
        fprintf(file, "%.9g\n", logf(intensities[i]) * (float)MOST_GREY);
    output_close(file, run->output);
}

#endif
