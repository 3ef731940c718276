/*
 * The video in which particlefilter finds an object, and the input of a run: shared by all forms.
 *
 * The task is that of the Rodinia suite: a disk, brighter than what is behind it, moves through a
 * noisy video, and particles, each a place where it may be, follow it. In each frame they move as
 * the object does, and by chance; each is weighed by how well the pixels around it look like the
 * disk; the weighted mean of all is where the object should be; and those of the next frame are
 * drawn from them, the likelier the more they weigh.
 *
 * No function of the math library is called, and no sum depends on its order: places are multiples of
 * 2^-8 below 2^11, weights of 2^-16 and 1 at most, so that sums of 2^18 products are exact in double.
 * Normal deviates are sums of twelve uniform ones.
 */
#ifndef BENCHMARKS_PARTICLEFILTER_VIDEO_H
#define BENCHMARKS_PARTICLEFILTER_VIDEO_H

#include <math.h>

#include "../common/program.h"

#define RADIUS 5 /* of the disk, in pixels */
#define BACKGROUND 100
#define OBJECT 228       /* how bright a pixel of the disk is */
#define SPREAD 5.0f      /* deviation of the pixels, and of how particles move along columns */
#define ROW_SPREAD 2.0f  /* of how particles move along rows */
#define MOST_PIXELS 2048 /* rows, and columns */
#define MOST_PARTICLES (1 << 18)
#define WEIGHTS 65536.0f /* what weights are whole multiples of: one by this */

/* A place in a frame, or by how much one is apart from another. */
struct place {
    float row, column;
};

/* A pixel of the disk, from its middle. */
struct offset {
    int row, column;
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int rows, columns, frames, particles;
    uint64_t seed;           /* of what is drawn */
    unsigned char *video;    /* frames x rows x columns */
    int pixels;              /* of the disk */
    struct offset *offsets;  /* of these */
    struct place *places;    /* of the particles, at first the middle of the frame */
    unsigned *states;        /* of their random numbers */
    struct place *estimates; /* of all frames but the first */
    const char *output;      /* file for estimates and particles; NULL: none is asked for */
};

/* A normal deviate, a multiple of 2^-8; `*state` goes on. */
ON_DEVICE static inline float deviate(unsigned *state)
{
    int sum = 0;
    for (int i = 0; i < 12; i++) {
        *state = *state * 1664525u + 1013904223u;
        sum += (int)(*state >> 24);
    }
    return (float)(sum - 1530) / 256.0f;
}

/* A value between bounds. */
ON_DEVICE static inline float within(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

/* The frame's pixels go one to the right and two up, and each particle by chance besides. */
ON_DEVICE static inline struct place moved(struct place place, int rows, int columns,
                                           unsigned *state)
{
    place.column = within(place.column + 1.0f + SPREAD * deviate(state), 0.0f, (float)(columns - 1));
    place.row = within(place.row - 2.0f + ROW_SPREAD * deviate(state), 0.0f, (float)(rows - 1));
    return place;
}

/* By how much a pixel is nearer to the object than to what is behind it. */
ON_DEVICE static inline int evidence(int pixel)
{
    return (pixel - BACKGROUND) * (pixel - BACKGROUND) - (pixel - OBJECT) * (pixel - OBJECT);
}

/* What the evidence of `pixels` pixels says, as the logarithm of a ratio. */
ON_DEVICE static inline float log_likelihood(int sum, int pixels)
{
    return (float)sum / (2.0f * SPREAD * SPREAD * (float)pixels);
}

/* The weight for a logarithm that is not above 0: its power of e, to the next multiple of 2^-16. */
ON_DEVICE static inline float weight_of(float logarithm)
{
    if (logarithm < -12.0f)
        return 0.0f;
    const int halvings = (int)(0.5f - logarithm * 1.44269504f);
    const float rest = logarithm + (float)halvings * 0.693147181f;
    float power = 1.0f;
    for (int i = 7; i > 0; i--)
        power = 1.0f + power * rest / (float)i;
    return (float)(int)(power * WEIGHTS / (float)(1 << halvings) + 0.5f) / WEIGHTS;
}

/* A disk moves through noise from the middle of the first frame: one pixel right a frame, two up. */
static inline void video_generate(struct run *run, uint64_t seed)
{
    const size_t pixels = (size_t)run->rows * (size_t)run->columns;
    unsigned state = (unsigned)random_bits(&seed);
    run->video = (unsigned char *)allocate(pixels * (size_t)run->frames, 1);
    for (int frame = 0; frame < run->frames; frame++) {
        unsigned char *to = run->video + pixels * (size_t)frame;
        const int middle_row = run->rows / 2 - 2 * frame, middle = run->columns / 2 + frame;
        for (int row = 0; row < run->rows; row++) {
            for (int column = 0; column < run->columns; column++) {
                const int down = row - middle_row, right = column - middle;
                const int object = down * down + right * right < RADIUS * RADIUS;
                const float noise = SPREAD * deviate(&state);
                *to++ = (unsigned char)within((object ? OBJECT : BACKGROUND) + noise, 0.0f, 255.0f);
            }
        }
    }
}

/* ROWS COLUMNS FRAMES PARTICLES SEED [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 6 && argc != 7)
        fail("usage: %s ROWS COLUMNS FRAMES PARTICLES SEED [OUTPUT]", argv[0]);
    struct run run;
    run.rows = number_argument(argv[1], 1, MOST_PIXELS, "rows");
    run.columns = number_argument(argv[2], 1, MOST_PIXELS, "columns");
    run.frames = number_argument(argv[3], 1, 4096, "frames");
    run.particles = number_argument(argv[4], 1, MOST_PARTICLES, "particles");
    run.seed = (uint64_t)number_argument(argv[5], 0, INT32_MAX, "seed");
    run.output = argc == 7 ? argv[6] : NULL;
    video_generate(&run, run.seed);

    const int side = 2 * RADIUS - 1;
    run.pixels = 0;
    run.offsets = (struct offset *)allocate((size_t)(side * side), sizeof *run.offsets);
    for (int row = 1 - RADIUS; row < RADIUS; row++) {
        for (int column = 1 - RADIUS; column < RADIUS; column++) {
            if (row * row + column * column < RADIUS * RADIUS) {
                run.offsets[run.pixels].row = row;
                run.offsets[run.pixels++].column = column;
            }
        }
    }
    run.places = (struct place *)allocate((size_t)run.particles, sizeof *run.places);
    run.states = (unsigned *)allocate((size_t)run.particles, sizeof *run.states);
    run.estimates = (struct place *)allocate((size_t)run.frames, sizeof *run.estimates);
    run.seed = ~run.seed;
    for (int i = 0; i < run.particles; i++) {
        run.places[i].row = (float)(run.rows / 2);
        run.places[i].column = (float)(run.columns / 2);
        run.states[i] = (unsigned)random_bits(&run.seed);
    }
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t particles = (size_t)run->particles, frames = (size_t)run->frames - 1;
    printf("particlefilter %dx%d, %d frames, %d particles: checksum %016llx\n", run->rows,
           run->columns, run->frames, run->particles,
           checksum(run->places, particles, sizeof *run->places) ^
               checksum(run->estimates, frames, sizeof *run->estimates) << 1);
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (size_t i = 0; i < frames; i++)
            fprintf(file, "%.9g %.9g\n", run->estimates[i].row, run->estimates[i].column);
        for (size_t i = 0; i < particles; i++)
            fprintf(file, "%.9g %.9g\n", run->places[i].row, run->places[i].column);
        output_close(file, run->output);
    }
    free(run->video);
    free(run->offsets);
    free(run->places);
    free(run->states);
    free(run->estimates);
}

#endif
