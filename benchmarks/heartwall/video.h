/*
 * The video in which heartwall follows points of a heart's walls, and the input of a run: shared by
 * all forms.
 *
 * The task is the tracking of the Rodinia suite: of each point there is a template, the pixels
 * around it. In each frame the template is compared with what is around the point's last place, at
 * all displacements up to REACH, by normalised cross-correlation. The point goes to where that is
 * highest, and its template takes on something of what is there.
 *
 * Left out of Rodinia's: its files of AVI, the masks that keep a point near its neighbours, and
 * correlation by sums up to each pixel of the area, for which its templates of 51 x 51 are large
 * enough. Pixels outside of a frame are those of its rim.
 *
 * Pixels are whole numbers, and PIXELS small enough that all sums of products are exact in int. What
 * is computed in double is one quotient a displacement.
 */
#ifndef BENCHMARKS_HEARTWALL_VIDEO_H
#define BENCHMARKS_HEARTWALL_VIDEO_H

#include <math.h>

#include "../common/program.h"

#define RADIUS 5 /* of a template, in pixels, besides the middle one */
#define REACH 5  /* how far a point may go from one frame to the next, in both directions */
#define SIDE (2 * RADIUS + 1)
#define PIXELS (SIDE * SIDE)
#define WIDTH (2 * REACH + 1)
#define DISPLACEMENTS (WIDTH * WIDTH)
#define MARGIN (RADIUS + REACH)
#define AREA_SIDE (2 * MARGIN + 1)
#define AREA (AREA_SIDE * AREA_SIDE) /* pixels around a point that a frame's search looks at */
#define NOWHERE (-2.0)               /* less than any correlation */
#define MOST_PIXELS 1024             /* rows, and columns */

/* A pixel of a frame. */
struct place {
    int row, column;
};

/* What the correlation of a template and as many pixels follows from. */
struct sums {
    int own, own_squares, other, other_squares, products;
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int rows, columns, frames, points;
    unsigned char *video;     /* frames x rows x columns */
    unsigned char *templates; /* points x PIXELS */
    struct place *track;      /* frames x points: those of the first frame are given */
    double *correlations;     /* frames x points, but for the first frame */
    const char *output;       /* file for track and correlations; NULL: none is asked for */
};

/* A row, or column, of the frame nearest to one that may be outside. */
ON_DEVICE static inline int clamped(int i, int count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

/* The sums with a pixel of the template and the one it is compared with. */
ON_DEVICE static inline struct sums add(struct sums sums, int own, int other)
{
    sums.own += own;
    sums.own_squares += own * own;
    sums.other += other;
    sums.other_squares += other * other;
    sums.products += own * other;
    return sums;
}

/* From -1 to 1: how much what is compared is alike; 0 where all pixels of one of both are equal. */
ON_DEVICE static inline double correlation(struct sums sums)
{
    const int own = PIXELS * sums.own_squares - sums.own * sums.own;
    const int other = PIXELS * sums.other_squares - sums.other * sums.other;
    const int both = PIXELS * sums.products - sums.own * sums.other;
    return own == 0 || other == 0 ? 0.0 : both / sqrt((double)own * (double)other);
}

/* Where a displacement leads to from a place. */
ON_DEVICE static inline struct place displaced(struct place place, int displacement)
{
    place.row += displacement / WIDTH - REACH;
    place.column += displacement % WIDTH - REACH;
    return place;
}

ON_DEVICE static inline int is_inside(struct place place, int rows, int columns)
{
    return place.row >= 0 && place.row < rows && place.column >= 0 && place.column < columns;
}

/* A pixel of a template that takes on something of what the point looks like now. */
ON_DEVICE static inline int blended(int own, int now)
{
    return (3 * own + now + 2) / 4;
}

/* What is bright and what dark in the heart, at rest: in pixels of 2 x 2. */
static inline int speckle(int row, int column, unsigned seed)
{
    unsigned hash = (unsigned)(row >> 1) * 73856093u ^ (unsigned)(column >> 1) * 19349663u ^ seed;
    hash = (hash ^ hash >> 13) * 0x5bd1e995u;
    return (int)((hash ^ hash >> 15) & 63);
}

/* The radii of the walls, in pixels: of the inner and the outer one. */
static inline int wall_radius(const struct run *run, int outer)
{
    const int least = run->rows < run->columns ? run->rows : run->columns;
    return outer ? least * 3 / 8 : least / 4;
}

/* A ring of speckled muscle, which contracts and widens again in 16 frames, and noise. */
static inline void video_generate(struct run *run, uint64_t seed)
{
    const size_t pixels = (size_t)run->rows * (size_t)run->columns;
    const unsigned own = (unsigned)random_bits(&seed);
    const int inner = wall_radius(run, 0), outer = wall_radius(run, 1);
    run->video = (unsigned char *)allocate(pixels * (size_t)run->frames, 1);
    for (int frame = 0; frame < run->frames; frame++) {
        unsigned char *to = run->video + pixels * (size_t)frame;
        const int phase = frame % 16, size = 256 - 6 * (phase < 8 ? phase : 16 - phase);
        for (int row = 0; row < run->rows; row++) {
            for (int column = 0; column < run->columns; column++) {
                const int y = (row - run->rows / 2) * 256 / size; /* where that is at rest */
                const int x = (column - run->columns / 2) * 256 / size;
                const int square = y * y + x * x;
                const int muscle = square >= inner * inner && square <= outer * outer;
                const int noise = (int)(random_bits(&seed) % 8);
                *to++ = (unsigned char)((muscle ? 150 : 40) + speckle(y, x, own) + noise);
            }
        }
    }
}

/* The points, one after the other around the inner wall and then around the outer one. */
static inline void points_generate(struct run *run)
{
    for (int i = 0; i < run->points; i++) {
        const int outer = i >= run->points / 2, own = outer ? i - run->points / 2 : i;
        const int count = outer ? run->points - run->points / 2 : run->points / 2;
        const int radius = wall_radius(run, outer), quarter = 4 * own / count;
        const double t = (double)(4 * own % count) / count; /* how far along the quarter */
        const int y = (int)(radius * (1.0 - t * t) / (1.0 + t * t) + 0.5);
        const int x = (int)(radius * 2.0 * t / (1.0 + t * t) + 0.5);
        const int ways[4][2] = {{y, x}, {-x, y}, {-y, -x}, {x, -y}};
        run->track[i].row = run->rows / 2 + ways[quarter][0];
        run->track[i].column = run->columns / 2 + ways[quarter][1];
    }
}

/* The templates: what is around the points in the first frame. */
static inline void templates_take(struct run *run)
{
    for (int i = 0; i < run->points; i++) {
        for (int k = 0; k < PIXELS; k++) {
            const int row = clamped(run->track[i].row - RADIUS + k / SIDE, run->rows);
            const int column = clamped(run->track[i].column - RADIUS + k % SIDE, run->columns);
            run->templates[i * PIXELS + k] = run->video[row * run->columns + column];
        }
    }
}

/* ROWS COLUMNS FRAMES POINTS SEED [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 6 && argc != 7)
        fail("usage: %s ROWS COLUMNS FRAMES POINTS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.rows = number_argument(argv[1], 1, MOST_PIXELS, "rows");
    run.columns = number_argument(argv[2], 1, MOST_PIXELS, "columns");
    run.frames = number_argument(argv[3], 1, 1024, "frames");
    run.points = number_argument(argv[4], 1, 65536, "points");
    const uint64_t seed = (uint64_t)number_argument(argv[5], 0, INT32_MAX, "seed");
    run.output = argc == 7 ? argv[6] : NULL;
    const size_t points = (size_t)run.points, places = points * (size_t)run.frames;
    run.track = (struct place *)allocate(places, sizeof *run.track);
    run.correlations = (double *)allocate(places, sizeof *run.correlations);
    run.templates = (unsigned char *)allocate(points * PIXELS, 1);
    video_generate(&run, seed);
    points_generate(&run);
    templates_take(&run);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t points = (size_t)run->points, places = points * (size_t)run->frames;
    printf("heartwall %dx%d, %d frames, %d points: checksum %016llx\n", run->rows, run->columns,
           run->frames, run->points,
           checksum(run->track, places, sizeof *run->track) ^
               checksum(run->correlations + points, places - points, sizeof(double)) << 1 ^
               checksum(run->templates, points * PIXELS, 1) << 2);
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (size_t i = 0; i < places; i++)
            fprintf(file, "%d %d %.17g\n", run->track[i].row, run->track[i].column,
                    i < points ? 0.0 : run->correlations[i]);
        for (size_t i = 0; i < points * PIXELS; i++)
            fprintf(file, "%d\n", run->templates[i]);
        output_close(file, run->output);
    }
    free(run->video);
    free(run->templates);
    free(run->track);
    free(run->correlations);
}

#endif
