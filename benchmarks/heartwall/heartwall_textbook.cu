/*
 * Heart wall: follows points of a heart's walls through a video. The textbook CUDA form.
 *
 * As the fcw form: a block has a point, its template and the pixels around its last place in shared
 * memory; threads have displacements, and the best of all is found by a tree.
 *
 * usage: heartwall_textbook ROWS COLUMNS FRAMES POINTS SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "video.h"

#ifndef BLOCK
#define BLOCK 128 /* threads of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/* Follows all points into a frame, from their places `before` to those `after`. */
__global__ void __launch_bounds__(BLOCK)
    follow(int rows, int columns, const unsigned char *__restrict__ frame,
           const struct place *__restrict__ before, unsigned char *__restrict__ templates,
           struct place *__restrict__ after, double *__restrict__ correlations)
{
    __shared__ unsigned char own[PIXELS], area[AREA_SIDE][AREA_SIDE];
    __shared__ double most[BLOCK];
    __shared__ int chosen[BLOCK];
    const int i = blockIdx.x, lane = threadIdx.x;
    const struct place last = before[i];

    for (int k = lane; k < PIXELS; k += BLOCK)
        own[k] = templates[i * PIXELS + k];
    for (int k = lane; k < AREA; k += BLOCK) {
        const int row = clamped(last.row - MARGIN + k / AREA_SIDE, rows);
        const int column = clamped(last.column - MARGIN + k % AREA_SIDE, columns);
        area[k / AREA_SIDE][k % AREA_SIDE] = frame[(size_t)row * columns + column];
    }
    most[lane] = NOWHERE;
    chosen[lane] = DISPLACEMENTS;
    __syncthreads();
    for (int d = lane; d < DISPLACEMENTS; d += BLOCK) {
        if (is_inside(displaced(last, d), rows, columns)) {
            struct sums sums = {0, 0, 0, 0, 0};
            for (int k = 0; k < PIXELS; k++)
                sums = add(sums, own[k], area[d / WIDTH + k / SIDE][d % WIDTH + k % SIDE]);
            const double score = correlation(sums);
            if (score > most[lane]) {
                most[lane] = score;
                chosen[lane] = d;
            }
        }
    }
    for (int width = BLOCK; width > 1; width = (width + 1) / 2) {
        const int other = lane + (width + 1) / 2; /* the middle one of an odd number waits */
        __syncthreads();
        if (other < width && (most[other] > most[lane] ||
                              (most[other] == most[lane] && chosen[other] < chosen[lane]))) {
            most[lane] = most[other];
            chosen[lane] = chosen[other];
        }
    }
    __syncthreads();
    const int best = chosen[0];
    for (int k = lane; k < PIXELS; k += BLOCK) {
        const int now = area[best / WIDTH + k / SIDE][best % WIDTH + k % SIDE];
        templates[i * PIXELS + k] = (unsigned char)blended(own[k], now);
    }
    if (lane == 0) {
        after[i] = displaced(last, best);
        correlations[i] = most[0];
    }
}

/* All frames on the device. */
static void follow_all(const struct run *run)
{
    const size_t points = (size_t)run->points, places = points * (size_t)run->frames;
    const size_t pixels = (size_t)run->rows * (size_t)run->columns;
    const device_array<unsigned char> video(run->video, pixels * (size_t)run->frames);
    const device_array<unsigned char> templates(run->templates, points * PIXELS);
    const device_array<struct place> track(run->track, places);
    const device_array<double> correlations(places);

    for (size_t frame = 1; frame < (size_t)run->frames; frame++) {
        device_launch("follow", [&] {
            follow<<<run->points, BLOCK>>>(run->rows, run->columns, video + pixels * frame,
                                           track + points * (frame - 1), templates,
                                           track + points * frame, correlations + points * frame);
        });
    }
    templates.download(run->templates);
    track.download(run->track);
    correlations.download(run->correlations);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    follow_all(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
