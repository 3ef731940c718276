/*
 * Reconstruction of magnetic resonance images, the vector FHd. The textbook CUDA form.
 *
 * A voxel a thread; samples are read from device memory, the same by all threads at once.
 *
 * usage: mri_fhd_textbook VOXELS SAMPLES SEED [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

#include "scan.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/* What was measured, times the conjugate of the sensitivity. */
__global__ void __launch_bounds__(BLOCK)
    weigh(int samples, const float *__restrict__ phi_real, const float *__restrict__ phi_im,
          const float *__restrict__ data_real, const float *__restrict__ data_im,
          float *__restrict__ rho_real, float *__restrict__ rho_im)
{
    const int k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= samples)
        return;
    rho_real[k] = phi_real[k] * data_real[k] + phi_im[k] * data_im[k];
    rho_im[k] = phi_real[k] * data_im[k] - phi_im[k] * data_real[k];
}

/* At each voxel the sum over all samples, in their order. */
__global__ void __launch_bounds__(BLOCK)
    sum_samples(int voxels, int samples, const float *__restrict__ xs,
                const float *__restrict__ ys, const float *__restrict__ zs,
                const float *__restrict__ kx, const float *__restrict__ ky,
                const float *__restrict__ kz, const float *__restrict__ rho_real,
                const float *__restrict__ rho_im, float *__restrict__ fhd_real,
                float *__restrict__ fhd_im)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= voxels)
        return;
    const float x = xs[i], y = ys[i], z = zs[i];
    float real = 0.0f, im = 0.0f;
    for (int k = 0; k < samples; k++) {
        const float phase = TWO_PI * (kx[k] * x + ky[k] * y + kz[k] * z);
        const float cosine = cosf(phase), sine = sinf(phase);
        real += rho_real[k] * cosine - rho_im[k] * sine;
        im += rho_im[k] * cosine + rho_real[k] * sine;
    }
    fhd_real[i] = real;
    fhd_im[i] = im;
}

static void reconstruct(const struct run *run)
{
    const size_t voxels = (size_t)run->voxels, samples = (size_t)run->samples;
    const device_array<float> phi_real(run->phi_real, samples), phi_im(run->phi_im, samples);
    const device_array<float> data_real(run->data_real, samples), data_im(run->data_im, samples);
    const device_array<float> rho_real(samples), rho_im(samples);
    const device_array<float> kx(run->kx, samples), ky(run->ky, samples), kz(run->kz, samples);
    const device_array<float> x(run->x, voxels), y(run->y, voxels), z(run->z, voxels);
    const device_array<float> fhd_real(voxels), fhd_im(voxels);

    device_launch("weigh", [&] {
        weigh<<<blocks_for(run->samples, BLOCK), BLOCK>>>(run->samples, phi_real, phi_im, data_real,
                                                          data_im, rho_real, rho_im);
    });
    device_launch("sum_samples", [&] {
        sum_samples<<<blocks_for(run->voxels, BLOCK), BLOCK>>>(
            run->voxels, run->samples, x, y, z, kx, ky, kz, rho_real, rho_im, fhd_real, fhd_im);
    });
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
