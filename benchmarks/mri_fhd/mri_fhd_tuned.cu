/*
 * Reconstruction of magnetic resonance images, the vector FHd. The tuned CUDA form.
 *
 * Samples go through constant memory, BATCH at a time, whence a warp gets one in a single access; the
 * loop over them is unrolled, and sums stay in registers.
 *
 * usage: mri_fhd_tuned VOXELS SAMPLES SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "scan.h"

#ifndef BATCH
#define BATCH 1024 /* samples in constant memory */
#endif
#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#if BATCH < 1 || BATCH > 3072 || BLOCK < 1 || BLOCK > 1024
#error "a batch has 1 to 3072 samples, a block 1 to 1024 threads"
#endif

__constant__ struct sample batch[BATCH];

/* What was measured, times the conjugate of the sensitivity, in samples of all that belongs to one. */
__global__ void __launch_bounds__(BLOCK)
    weigh(int samples, const float *__restrict__ kx, const float *__restrict__ ky,
          const float *__restrict__ kz, const float *__restrict__ phi_real,
          const float *__restrict__ phi_im, const float *__restrict__ data_real,
          const float *__restrict__ data_im, struct sample *__restrict__ weighed)
{
    const int k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= samples)
        return;
    struct sample sample;
    sample.kx = kx[k];
    sample.ky = ky[k];
    sample.kz = kz[k];
    sample.rho_real = phi_real[k] * data_real[k] + phi_im[k] * data_im[k];
    sample.rho_im = phi_real[k] * data_im[k] - phi_im[k] * data_real[k];
    weighed[k] = sample;
}

/* Adds the `count` samples of the batch at each voxel. */
__global__ void __launch_bounds__(BLOCK)
    add_batch(int voxels, int count, const float *__restrict__ xs, const float *__restrict__ ys,
              const float *__restrict__ zs, float *__restrict__ fhd_real,
              float *__restrict__ fhd_im)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= voxels)
        return;
    const float x = xs[i], y = ys[i], z = zs[i];
    float real = fhd_real[i], im = fhd_im[i];
#pragma unroll 4
    for (int k = 0; k < count; k++) {
        const struct sample at = batch[k];
        float sine, cosine;
        sincosf(TWO_PI * (at.kx * x + at.ky * y + at.kz * z), &sine, &cosine);
        real += at.rho_real * cosine - at.rho_im * sine;
        im += at.rho_im * cosine + at.rho_real * sine;
    }
    fhd_real[i] = real;
    fhd_im[i] = im;
}

static void reconstruct(const struct run *run)
{
    const size_t voxels = (size_t)run->voxels, samples = (size_t)run->samples;
    const device_array<float> phi_real(run->phi_real, samples), phi_im(run->phi_im, samples);
    const device_array<float> data_real(run->data_real, samples), data_im(run->data_im, samples);
    const device_array<float> kx(run->kx, samples), ky(run->ky, samples), kz(run->kz, samples);
    const device_array<struct sample> weighed(samples);
    const device_array<float> x(run->x, voxels), y(run->y, voxels), z(run->z, voxels);
    device_array<float> fhd_real(voxels), fhd_im(voxels);

    fhd_real.clear();
    fhd_im.clear();
    device_launch("weigh", [&] {
        weigh<<<blocks_for(run->samples, BLOCK), BLOCK>>>(run->samples, kx, ky, kz, phi_real, phi_im,
                                                          data_real, data_im, weighed);
    });
    for (int first = 0; first < run->samples; first += BATCH) {
        const int count = min(BATCH, run->samples - first);
        CHECK(cudaMemcpyToSymbol(batch, weighed + first, count * sizeof(struct sample), 0,
                                 cudaMemcpyDeviceToDevice));
        device_launch("add_batch", [&] {
            add_batch<<<blocks_for(run->voxels, BLOCK), BLOCK>>>(run->voxels, count, x, y, z,
                                                                 fhd_real, fhd_im);
        });
    }
    fhd_real.download(run->fhd_real);
    fhd_im.download(run->fhd_im);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    reconstruct(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
