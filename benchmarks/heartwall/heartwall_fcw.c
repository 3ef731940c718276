/*
 * Heart wall: follows points of a heart's walls through a video. The fcw form.
 *
 * A block has a point. It holds its template, and in an array that only the block has the pixels
 * around its last place, which follows from the frame before; those outside of the frame are its
 * rim's. Threads have displacements, and the best of all is found by a tree: the highest, and the
 * first of equals.
 *
 * usage: heartwall_fcw ROWS COLUMNS FRAMES POINTS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "video.h"

#ifndef BLOCK
#define BLOCK 128 /* threads of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/* Follows all points into a frame, from their places `before` to those `after`. */
static void follow(int rows, int columns, int points, const unsigned char (*restrict frame)[columns],
                   const struct place *restrict before, unsigned char (*restrict templates)[PIXELS],
                   struct place *restrict after, double *restrict correlations)
{
    unsigned char *restrict area = NULL; /* only windows of these exist */
    double *restrict most = NULL;
    int *restrict chosen = NULL;

    #pragma acc parallel loop gang vector_length(BLOCK) \
                              present(frame, before, templates, after, correlations)
    for (int i = 0; i < points; i++) {
        const struct place last = before[i];

        #pragma acc loop vector
        for (int lane = 0; lane < BLOCK; lane++) {
            #pragma acc fcw FETCH_CHANNEL_WB(templates[i:0:0:0:0:PIXELS - 1]) \
                            CHANNEL_ONLY(area[0:0:AREA - 1]) \
                            CHANNEL_ONLY(most[lane:0:0], chosen[lane:0:0]) explicit
            {
                for (int k = lane; k < AREA; k += BLOCK) {
                    const int row = clamped(last.row - MARGIN + k / AREA_SIDE, rows);
                    const int column = clamped(last.column - MARGIN + k % AREA_SIDE, columns);
                    area[k] = frame[row][column];
                }
                most[lane] = NOWHERE;
                chosen[lane] = DISPLACEMENTS;
                #pragma acc fcw_barrier

                for (int d = lane; d < DISPLACEMENTS; d += BLOCK) {
                    if (is_inside(displaced(last, d), rows, columns)) {
                        const int first = d / WIDTH * AREA_SIDE + d % WIDTH; /* in the area */
                        struct sums sums = {0, 0, 0, 0, 0};
                        for (int k = 0; k < PIXELS; k++)
                            sums = add(sums, templates[i][k],
                                       area[first + k / SIDE * AREA_SIDE + k % SIDE]);
                        const double own = correlation(sums);
                        if (own > most[lane]) {
                            most[lane] = own;
                            chosen[lane] = d;
                        }
                    }
                }
                #pragma acc fcw_barrier

                for (int width = BLOCK; width > 1; width = (width + 1) / 2) {
                    const int other = lane + (width + 1) / 2; /* the middle one of an odd number waits */
                    if (other < width && (most[other] > most[lane] ||
                                          (most[other] == most[lane] && chosen[other] < chosen[lane]))) {
                        most[lane] = most[other];
                        chosen[lane] = chosen[other];
                    }
                    #pragma acc fcw_barrier
                }

                const int first = chosen[0] / WIDTH * AREA_SIDE + chosen[0] % WIDTH;
                for (int k = lane; k < PIXELS; k += BLOCK) {
                    const int now = area[first + k / SIDE * AREA_SIDE + k % SIDE];
                    templates[i][k] = (unsigned char)blended(templates[i][k], now);
                }
                if (lane == 0) {
                    after[i] = displaced(last, chosen[0]);
                    correlations[i] = most[0];
                }
            }
        }
    }
}

/* All frames on the device. */
static void follow_all(const struct run *run)
{
    const int rows = run->rows, columns = run->columns, frames = run->frames, points = run->points;
    const unsigned char (*video)[columns] = (const unsigned char (*)[columns])run->video;
    unsigned char (*templates)[PIXELS] = (unsigned char (*)[PIXELS])run->templates;
    struct place *track = run->track;
    double *correlations = run->correlations;

    #pragma acc data copyin(video[0:frames * rows][0:columns]) copy(templates[0:points][0:PIXELS]) \
                     copy(track[0:frames * points]) copyout(correlations[0:frames * points])
    for (int frame = 1; frame < frames; frame++) {
        struct place *now = &track[frame * points];
        follow(rows, columns, points, &video[frame * rows], now - points, templates, now,
               &correlations[frame * points]);
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    follow_all(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
