/*
 * Heart wall: follows points of a heart's walls through a video. The OpenACC form: a point a gang,
 * a displacement a vector lane.
 *
 * usage: heartwall ROWS COLUMNS FRAMES POINTS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "video.h"

/*
 * Follows all points into a frame, from their places `before` to those `after`. `scores` has room
 * for the correlations at all displacements.
 */
static void follow(int rows, int columns, int points, const unsigned char (*restrict frame)[columns],
                   const struct place *restrict before, unsigned char (*restrict templates)[PIXELS],
                   double (*restrict scores)[DISPLACEMENTS], struct place *restrict after,
                   double *restrict correlations)
{
    #pragma acc parallel loop gang present(frame, before, templates, scores, after, correlations)
    for (int i = 0; i < points; i++) {
        const struct place last = before[i];
        double most = NOWHERE;
        int chosen = DISPLACEMENTS;

        #pragma acc loop vector reduction(max : most)
        for (int d = 0; d < DISPLACEMENTS; d++) {
            const struct place place = displaced(last, d);
            double own = NOWHERE;
            if (is_inside(place, rows, columns)) {
                struct sums sums = {0, 0, 0, 0, 0};
                for (int k = 0; k < PIXELS; k++) {
                    const int row = clamped(place.row - RADIUS + k / SIDE, rows);
                    const int column = clamped(place.column - RADIUS + k % SIDE, columns);
                    sums = add(sums, templates[i][k], frame[row][column]);
                }
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
        const struct place place = displaced(last, chosen);
        after[i] = place;
        correlations[i] = most;

        #pragma acc loop vector
        for (int k = 0; k < PIXELS; k++) {
            const int row = clamped(place.row - RADIUS + k / SIDE, rows);
            const int column = clamped(place.column - RADIUS + k % SIDE, columns);
            templates[i][k] = (unsigned char)blended(templates[i][k], frame[row][column]);
        }
    }
}

/* All frames on the device. */
static void follow_all(const struct run *run, double (*restrict scores)[DISPLACEMENTS])
{
    const int rows = run->rows, columns = run->columns, frames = run->frames, points = run->points;
    const unsigned char (*video)[columns] = (const unsigned char (*)[columns])run->video;
    unsigned char (*templates)[PIXELS] = (unsigned char (*)[PIXELS])run->templates;
    struct place *track = run->track;
    double *correlations = run->correlations;

    #pragma acc data copyin(video[0:frames * rows][0:columns]) copy(templates[0:points][0:PIXELS]) \
                     copy(track[0:frames * points]) copyout(correlations[0:frames * points]) \
                     create(scores[0:points][0:DISPLACEMENTS])
    for (int frame = 1; frame < frames; frame++) {
        struct place *now = &track[frame * points];
        follow(rows, columns, points, &video[frame * rows], now - points, templates, scores, now,
               &correlations[frame * points]);
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    double *scores = (double *)allocate((size_t)run.points, DISPLACEMENTS * sizeof *scores);
    const double start = clock_seconds();
    follow_all(&run, (double (*)[DISPLACEMENTS])scores);
    run_finish(&run, clock_seconds() - start);
    free(scores);
    return 0;
}
