/*
 * Heart wall: follows points of a heart's walls through a video. The cache form.
 *
 * Where a point is follows from the frame before, and pixels outside of a frame are its rim's. So
 * the pixels around each point are put in a row of an array first; a block holds the row, and the
 * template.
 *
 * usage: heartwall_cache ROWS COLUMNS FRAMES POINTS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "video.h"

#ifndef BLOCK
#define BLOCK 128 /* threads of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/*
 * Follows all points into a frame, from their places `before` to those `after`. `areas` has room
 * for the pixels around each, `scores` for the correlations at all displacements.
 */
static void follow(int rows, int columns, int points, const unsigned char (*restrict frame)[columns],
                   const struct place *restrict before, unsigned char (*restrict templates)[PIXELS],
                   unsigned char (*restrict areas)[AREA], double (*restrict scores)[DISPLACEMENTS],
                   struct place *restrict after, double *restrict correlations)
{
    #pragma acc parallel loop gang vector_length(BLOCK) \
                              present(frame, before, templates, areas, scores, after, correlations)
    for (int i = 0; i < points; i++) {
        const struct place last = before[i];
        double most = NOWHERE;
        int chosen = DISPLACEMENTS;

        #pragma acc loop vector
        for (int k = 0; k < AREA; k++) {
            const int row = clamped(last.row - MARGIN + k / AREA_SIDE, rows);
            const int column = clamped(last.column - MARGIN + k % AREA_SIDE, columns);
            areas[i][k] = frame[row][column];
        }

        #pragma acc loop vector reduction(max : most)
        for (int d = 0; d < DISPLACEMENTS; d++) {
            #pragma acc cache(templates[i:1][0:PIXELS], areas[i:1][0:AREA])
            double own = NOWHERE;
            if (is_inside(displaced(last, d), rows, columns)) {
                const int first = d / WIDTH * AREA_SIDE + d % WIDTH; /* in the area */
                struct sums sums = {0, 0, 0, 0, 0};
                for (int k = 0; k < PIXELS; k++)
                    sums = add(sums, templates[i][k],
                               areas[i][first + k / SIDE * AREA_SIDE + k % SIDE]);
                own = correlation(sums);
            }
            scores[i][d] = own;
            most = fmax(most, own);
        }

        #pragma acc loop vector reduction(min : chosen)
        for (int d = 0; d < DISPLACEMENTS; d++) {
            if (scores[i][d] == most && d < chosen)
                chosen = d;
        }
        after[i] = displaced(last, chosen);
        correlations[i] = most;

        const int first = chosen / WIDTH * AREA_SIDE + chosen % WIDTH;
        #pragma acc loop vector
        for (int k = 0; k < PIXELS; k++) {
            const int now = areas[i][first + k / SIDE * AREA_SIDE + k % SIDE];
            templates[i][k] = (unsigned char)blended(templates[i][k], now);
        }
    }
}

/* All frames on the device. */
static void follow_all(const struct run *run, unsigned char (*areas)[AREA],
                       double (*scores)[DISPLACEMENTS])
{
    const int rows = run->rows, columns = run->columns, frames = run->frames, points = run->points;
    const unsigned char (*video)[columns] = (const unsigned char (*)[columns])run->video;
    unsigned char (*templates)[PIXELS] = (unsigned char (*)[PIXELS])run->templates;
    struct place *track = run->track;
    double *correlations = run->correlations;

    #pragma acc data copyin(video[0:frames * rows][0:columns]) copy(templates[0:points][0:PIXELS]) \
                     copy(track[0:frames * points]) copyout(correlations[0:frames * points]) \
                     create(areas[0:points][0:AREA], scores[0:points][0:DISPLACEMENTS])
    for (int frame = 1; frame < frames; frame++) {
        struct place *now = &track[frame * points];
        follow(rows, columns, points, &video[frame * rows], now - points, templates, areas, scores,
               now, &correlations[frame * points]);
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    unsigned char *areas = (unsigned char *)allocate((size_t)run.points, AREA);
    double *scores = (double *)allocate((size_t)run.points, DISPLACEMENTS * sizeof *scores);
    const double start = clock_seconds();
    follow_all(&run, (unsigned char (*)[AREA])areas, (double (*)[DISPLACEMENTS])scores);
    run_finish(&run, clock_seconds() - start);
    free(areas);
    free(scores);
    return 0;
}
