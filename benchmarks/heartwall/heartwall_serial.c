/*
 * Heart wall: follows points of a heart's walls through a video. The serial form.
 *
 * usage: heartwall_serial ROWS COLUMNS FRAMES POINTS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "video.h"

/* How much a frame looks like the template around a place. */
static double likeness(const struct run *run, const unsigned char *frame,
                       const unsigned char *template, struct place place)
{
    struct sums sums = {0, 0, 0, 0, 0};
    for (int k = 0; k < PIXELS; k++) {
        const int row = clamped(place.row - RADIUS + k / SIDE, run->rows);
        const int column = clamped(place.column - RADIUS + k % SIDE, run->columns);
        sums = add(sums, template[k], frame[row * run->columns + column]);
    }
    return correlation(sums);
}

/* Follows a point into a frame from its place in the one before. Returns where it is. */
static struct place follow(const struct run *run, const unsigned char *frame,
                           unsigned char *template, struct place last, double *most)
{
    int chosen = 0;
    *most = NOWHERE;
    for (int d = 0; d < DISPLACEMENTS; d++) {
        const struct place place = displaced(last, d);
        const double own = is_inside(place, run->rows, run->columns)
                               ? likeness(run, frame, template, place)
                               : NOWHERE;
        if (own > *most) {
            *most = own;
            chosen = d;
        }
    }
    const struct place place = displaced(last, chosen);
    for (int k = 0; k < PIXELS; k++) {
        const int row = clamped(place.row - RADIUS + k / SIDE, run->rows);
        const int column = clamped(place.column - RADIUS + k % SIDE, run->columns);
        template[k] = (unsigned char)blended(template[k], frame[row * run->columns + column]);
    }
    return place;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const int points = run.points;
    const double start = clock_seconds();
    for (int frame = 1; frame < run.frames; frame++) {
        const unsigned char *pixels =
            run.video + (size_t)frame * (size_t)run.rows * (size_t)run.columns;
        for (int i = 0; i < points; i++) {
            const int now = frame * points + i;
            run.track[now] = follow(&run, pixels, run.templates + i * PIXELS,
                                    run.track[now - points], &run.correlations[now]);
        }
    }
    run_finish(&run, clock_seconds() - start);
    return 0;
}
