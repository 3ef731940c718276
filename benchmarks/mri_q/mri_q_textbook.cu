/*
 * Reconstruction of magnetic resonance images, the matrix Q. The textbook CUDA form.
 *
 * A kernel squares the sensitivities; another adds up BATCH samples at each voxel, which all threads
 * read at once from constant memory, a launch for each batch.
 *
 * usage: mri_q_textbook VOXELS SAMPLES SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "scan.h"

#ifndef BATCH
#define BATCH 1024 /* samples in constant memory */
#endif
#ifndef BLOCK
#define BLOCK 256 /* voxels of a block, one a thread */
#endif
#if BATCH < 1 || BATCH > 4096 || BLOCK < 1 || BLOCK > 1024
#error "a batch has 1 to 4096 samples, a block 1 to 1024 threads"
#endif

__constant__ struct sample batch[BATCH];

/* The squares of the sensitivities. */
__global__ void __launch_bounds__(BLOCK)
    square(int samples, const float *__restrict__ real, const float *__restrict__ im,
           float *__restrict__ magnitudes)
{
    const int k = blockIdx.x * BLOCK + threadIdx.x;
    if (k < samples)
        magnitudes[k] = real[k] * real[k] + im[k] * im[k];
}

/* Adds the `count` samples of the batch at each voxel. */
__global__ void __launch_bounds__(BLOCK)
    add_batch(int voxels, int count, const float *__restrict__ xs, const float *__restrict__ ys,
              const float *__restrict__ zs, float *__restrict__ q_real, float *__restrict__ q_im)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= voxels)
        return;
    const float x = xs[i], y = ys[i], z = zs[i];
    float real = q_real[i], im = q_im[i];
    for (int k = 0; k < count; k++) {
        const struct sample at = batch[k];
        const float phase = TWO_PI * (at.kx * x + at.ky * y + at.kz * z);
        real += at.magnitude * cosf(phase);
        im += at.magnitude * sinf(phase);
    }
    q_real[i] = real;
    q_im[i] = im;
}

/* The squares come back to the host, which packs the samples of each batch. */
static void weigh(const struct run *run, struct sample *samples)
{
    const size_t count = (size_t)run->samples;
    const device_array<float> real(run->phi_real, count), im(run->phi_im, count);
    const device_array<float> magnitudes(count);
    float *values = grid_allocate(count);

    device_launch("square", [&] {
        square<<<blocks_for(run->samples, BLOCK), BLOCK>>>(run->samples, real, im, magnitudes);
    });
    magnitudes.download(values);
    for (size_t k = 0; k < count; k++) {
        const struct sample sample = {run->kx[k], run->ky[k], run->kz[k], values[k]};
        samples[k] = sample;
    }
    free(values);
}

static void compute_q(const struct run *run, const struct sample *samples)
{
    const size_t voxels = (size_t)run->voxels;
    const device_array<float> x(run->x, voxels), y(run->y, voxels), z(run->z, voxels);
    device_array<float> q_real(voxels), q_im(voxels);

    q_real.clear();
    q_im.clear();
    for (int first = 0; first < run->samples; first += BATCH) {
        const int count = min(BATCH, run->samples - first);
        device_constant(batch, samples + first, count * sizeof *samples);
        device_launch("add_batch", [&] {
            add_batch<<<blocks_for(run->voxels, BLOCK), BLOCK>>>(run->voxels, count, x, y, z,
                                                                 q_real, q_im);
        });
    }
    q_real.download(run->q_real);
    q_im.download(run->q_im);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    struct sample *samples = (struct sample *)allocate((size_t)run.samples, sizeof *samples);
    const double start = clock_seconds();
    weigh(&run, samples);
    compute_q(&run, samples);
    run_finish(&run, clock_seconds() - start);
    free(samples);
    return 0;
}
