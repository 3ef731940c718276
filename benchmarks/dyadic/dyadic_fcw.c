/*
 * Dyadic convolution of two sequences, by the fast Walsh-Hadamard transform. The fcw form.
 *
 * The transform of the convolution is the product of the transforms, and the transform is, up to a
 * factor, its own inverse. It is a sequence of stages; in the stage of a stride, the values u and v
 * that stand that far apart become u + v and u - v. Stages with a stride of ELEMENTS / 2 or less
 * stay within ELEMENTS values that follow each other: a block does all of them in shared memory.
 * Longer strides go through global memory, one launch a stage.
 *
 * The window is one of a dummy array, `exchange`: the directive only gives the threads of a block
 * slots to share, and the program itself fills and drains them.
 *
 * usage: dyadic_fcw DATA KERNEL SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "sequences.h"

#ifndef TILE
#define TILE 256 /* threads of a block */
#endif
#if TILE < 1 || TILE > 1024 || (TILE & (TILE - 1)) != 0
#error "the threads of a block must be a power of two, 1024 at most"
#endif
#define ELEMENTS (2 * TILE) /* values that a block transforms in shared memory */

/* The stage of one stride: a thread does one pair. */
static void transform_stage(int count, int stride, int64_t *restrict values)
{
    #pragma acc parallel loop present(values)
    for (int i = 0; i < count / 2; i++) {
        const int low = i + (i & ~(stride - 1)); /* the stride's bit of `low` is zero */
        const int64_t u = values[low], v = values[low + stride];
        values[low] = u + v;
        values[low + stride] = u - v;
    }
}

/* All stages with strides up to half of `width`, which is ELEMENTS or, where fewer, all values. */
static void transform_tiles(int count, int width, int64_t *restrict values)
{
    int64_t exchange[ELEMENTS];
    const int half = width / 2;

    #pragma acc kernels present(values)
    #pragma acc loop independent vector(TILE)
    for (int i = 0; i < count / 2; i++) {
        const int first = (i / TILE) * ELEMENTS;
        const int lane = i % TILE;

        /* A stage touches each pair in one thread alone: a barrier between stages will do. */
        #pragma acc fcw CHANNEL_ONLY(exchange[0:0:ELEMENTS - 1]) explicit
        {
            exchange[lane] = values[first + lane];
            exchange[lane + half] = values[first + lane + half];
            for (int stride = half; stride > 0; stride /= 2) {
                #pragma acc fcw_barrier
                const int low = lane + (lane & ~(stride - 1));
                const int64_t u = exchange[low], v = exchange[low + stride];
                exchange[low] = u + v;
                exchange[low + stride] = u - v;
            }
            #pragma acc fcw_barrier
            values[first + lane] = exchange[lane];
            values[first + lane + half] = exchange[lane + half];
        }
    }
}

static void transform(int count, int64_t *values)
{
    for (int stride = count / 2; stride > ELEMENTS / 2; stride /= 2)
        transform_stage(count, stride, values);
    transform_tiles(count, count < ELEMENTS ? count : ELEMENTS, values);
}

static void convolve(int count, int64_t *data, int64_t *kernel, int64_t *result)
{
    #pragma acc data copyin(data[0:count], kernel[0:count]) copyout(result[0:count])
    {
        transform(count, data);
        transform(count, kernel);
        #pragma acc parallel loop present(data, kernel, result)
        for (int i = 0; i < count; i++)
            result[i] = data[i] * kernel[i];
        transform(count, result);
        #pragma acc parallel loop present(result)
        for (int i = 0; i < count; i++)
            result[i] /= count;
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    convolve(run.count, run.data, run.kernel, run.result);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
