/*
 * Fourier transforms of any length whose prime factors are small, as passes of Stockham's form
 * between two buffers: many signals at a time, all on the device.
 */
#ifndef FFT_H
#define FFT_H

#include <complex.h>

#define MAX_PASSES 32

typedef float _Complex sample;

/* How a length is factored, and the powers of its principal root of one. */
struct plan {
    int length;
    int passes;
    int radix[MAX_PASSES];
    sample *root;
};

/* The table of the plan is on the device from here to fft_destroy, filled on the queue. */
struct plan fft_create(int length, int queue);
void fft_destroy(struct plan *plan);

/*
 * Transforms `count` signals one behind the other, on a queue; both buffers are on the device.
 * The result is in `data`. `inverse` is without the division by the length.
 */
void fft_transform(const struct plan *plan, int count, int inverse, sample *restrict data, sample *restrict buffer,
                   int queue);

#endif
