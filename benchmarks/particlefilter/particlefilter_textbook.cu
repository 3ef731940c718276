/*
 * Particle filter: finds an object in a noisy video. The textbook CUDA form.
 *
 * As the fcw form: a block holds the offsets of the disk's pixels, one particle a thread, and adds up
 * the weights of its particles up to each of them in its own memory. Prefix sums over blocks say what
 * comes before; to draw a particle, a thread finds the block first.
 *
 * usage: particlefilter_textbook ROWS COLUMNS FRAMES PARTICLES SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "video.h"

#ifndef TILE
#define TILE 128 /* particles of a block, and its threads */
#endif
#if TILE < 2 || TILE > 1024
#error "a block has one thread a particle, 1024 at most"
#endif
#define SIDE (2 * RADIUS - 1)

/* The sums of a frame: of the weights, and of weighted rows and columns. */
struct sums {
    double total, row, column;
};

/*
 * The particles move into a frame. `logs` says of each how much the pixels around it look like the
 * object; those outside are background.
 */
__global__ void __launch_bounds__(TILE)
    move(int rows, int columns, int particles, int pixels, const unsigned char *__restrict__ frame,
         const struct offset *__restrict__ offsets, struct place *__restrict__ places,
         unsigned *__restrict__ states, float *__restrict__ logs)
{
    __shared__ struct offset disk[SIDE * SIDE];
    const int thread = threadIdx.x, i = blockIdx.x * TILE + thread;

    for (int k = thread; k < pixels; k += TILE)
        disk[k] = offsets[k];
    __syncthreads();
    if (i < particles) {
        unsigned state = states[i];
        const struct place place = moved(places[i], rows, columns, &state);
        int sum = 0;
        for (int k = 0; k < pixels; k++) {
            const int row = (int)(place.row + 0.5f) + disk[k].row;
            const int column = (int)(place.column + 0.5f) + disk[k].column;
            const int inside = row >= 0 && row < rows && column >= 0 && column < columns;
            sum += evidence(inside ? frame[row * columns + column] : BACKGROUND);
        }
        states[i] = state;
        places[i] = place;
        logs[i] = log_likelihood(sum, pixels);
    }
}

/* The most of each tile of values. */
__global__ void __launch_bounds__(TILE)
    maxima(int count, const float *__restrict__ values, float *__restrict__ most)
{
    __shared__ float tile[TILE];
    const int lane = threadIdx.x, i = blockIdx.x * TILE + lane;

    tile[lane] = i < count ? values[i] : -INFINITY;
    for (int width = TILE; width > 1; width = (width + 1) / 2) {
        const int half = (width + 1) / 2; /* the middle one of an odd number waits */
        __syncthreads();
        if (lane + half < width)
            tile[lane] = fmaxf(tile[lane], tile[lane + half]);
    }
    if (lane == 0)
        most[blockIdx.x] = tile[0];
}

/* Of each thread the values of its block up to it. */
__device__ static double sum_before(double value, double *tile)
{
    const int lane = threadIdx.x;

    tile[lane] = value;
    __syncthreads();
    for (int reach = 1; reach < TILE; reach *= 2) {
        const double before = lane >= reach ? tile[lane - reach] : 0.0;
        __syncthreads();
        tile[lane] += before;
        __syncthreads();
    }
    return tile[lane];
}

/*
 * Weighs the particles: `weights` of each those of its block up to it, `totals` of each block.
 * `sums` adds up those of all.
 */
__global__ void __launch_bounds__(TILE)
    weigh(int particles, const float *__restrict__ most, const struct place *__restrict__ places,
          const float *__restrict__ logs, double *__restrict__ weights,
          double *__restrict__ totals, struct sums *__restrict__ sums)
{
    __shared__ double tile[TILE];
    const int lane = threadIdx.x, i = blockIdx.x * TILE + lane;
    double weight = 0.0, row = 0.0, column = 0.0; /* of particles that there are */

    if (i < particles) {
        weight = weight_of(logs[i] - *most);
        row = weight * places[i].row;
        column = weight * places[i].column;
    }
    const double total = sum_before(weight, tile);
    if (i < particles)
        weights[i] = total;
    if (lane == TILE - 1) {
        totals[blockIdx.x] = total;
        atomicAdd(&sums->total, total);
    }
    __syncthreads();
    row = sum_before(row, tile);
    __syncthreads();
    column = sum_before(column, tile);
    if (lane == TILE - 1) {
        atomicAdd(&sums->row, row);
        atomicAdd(&sums->column, column);
    }
}

/* A step of the prefix sums: `to` adds up twice as many weights as `from`. */
__global__ void __launch_bounds__(TILE)
    add_before(int count, int reach, const double *__restrict__ from, double *__restrict__ to)
{
    const int i = blockIdx.x * TILE + threadIdx.x;
    if (i < count)
        to[i] = i >= reach ? from[i] + from[i - reach] : from[i];
}

/* The first of the values from `low` on that is more than the mark; that at `high` is the last. */
__device__ static int first_above(const double *values, int low, int high, double mark)
{
    while (low < high) {
        const int middle = (low + high) / 2;
        if (values[middle] <= mark)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Draws new particles from the old ones. `drawn` is by how much all are behind their even marks;
 * `totals` has the weights of all blocks up to the end of each.
 */
__global__ void __launch_bounds__(TILE)
    draw(int particles, float drawn, const double *__restrict__ weights,
         const double *__restrict__ totals, const struct place *__restrict__ from,
         struct place *__restrict__ to)
{
    const int i = blockIdx.x * TILE + threadIdx.x, tiles = gridDim.x;
    if (i < particles) {
        const double mark = ((double)i + drawn) * (totals[tiles - 1] / particles);
        const int tile = first_above(totals, 0, tiles - 1, mark);
        const double before = tile > 0 ? totals[tile - 1] : 0.0;
        const int end = min((tile + 1) * TILE, particles);
        to[i] = from[first_above(weights, tile * TILE, end - 1, mark - before)];
    }
}

/* All frames on the device. */
static void follow(const struct run *run)
{
    const int particles = run->particles, tiles = blocks_for(particles, TILE);
    const size_t count = (size_t)particles;
    const size_t frame_pixels = (size_t)run->rows * (size_t)run->columns;
    const device_array<unsigned char> video(run->video, frame_pixels * (size_t)run->frames);
    const device_array<struct offset> offsets(run->offsets, (size_t)run->pixels);
    const device_array<unsigned> states(run->states, count);
    device_array<struct place> places(run->places, count), next(count);
    device_array<float> logs(count), front((size_t)tiles), back((size_t)tiles);
    device_array<double> weights(count), totals((size_t)tiles), more((size_t)tiles);
    device_array<struct sums> device_sums(1);
    uint64_t seed = run->seed;

    for (int frame = 1; frame < run->frames; frame++) {
        struct sums sums;
        device_launch("move", [&] {
            move<<<tiles, TILE>>>(run->rows, run->columns, particles, run->pixels,
                                  video + (size_t)frame * frame_pixels, offsets, places, states,
                                  logs);
        });
        device_launch("maxima", [&] { maxima<<<tiles, TILE>>>(particles, logs, front); });
        for (int left = tiles; left > 1; left = blocks_for(left, TILE)) {
            device_launch("maxima",
                          [&] { maxima<<<blocks_for(left, TILE), TILE>>>(left, front, back); });
            front.swap(back);
        }
        device_sums.clear();
        device_launch("weigh", [&] {
            weigh<<<tiles, TILE>>>(particles, front, places, logs, weights, totals, device_sums);
        });
        for (int reach = 1; reach < tiles; reach *= 2) {
            device_launch("add_before", [&] {
                add_before<<<blocks_for(tiles, TILE), TILE>>>(tiles, reach, totals, more);
            });
            totals.swap(more);
        }
        const float drawn = random_float(&seed);
        device_launch("draw", [&] {
            draw<<<tiles, TILE>>>(particles, drawn, weights, totals, places, next);
        });
        places.swap(next);
        device_sums.download(&sums);
        run->estimates[frame - 1].row = (float)(sums.row / sums.total);
        run->estimates[frame - 1].column = (float)(sums.column / sums.total);
    }
    places.download(run->places);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    follow(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
