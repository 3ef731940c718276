/*
 * Reconstruction of magnetic resonance images, the vector FHd. The hiCUDA form.
 *
 * The serial loops, a voxel a thread; samples stand in device memory, sums in registers.
 *
 * usage: mri_fhd_hicuda VOXELS SAMPLES SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "scan.h"

#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/* What was measured, times the conjugate of the sensitivity; the result stays on the device. */
static void weigh(const struct run *run, float *restrict rho_real, float *restrict rho_im)
{
    const int samples = run->samples;
    const float *phi_real = run->phi_real, *phi_im = run->phi_im;
    const float *data_real = run->data_real, *data_im = run->data_im;

    #pragma hicuda shape phi_real[samples]
    #pragma hicuda shape phi_im[samples]
    #pragma hicuda shape data_real[samples]
    #pragma hicuda shape data_im[samples]
    #pragma hicuda global alloc phi_real[*] copyin
    #pragma hicuda global alloc phi_im[*] copyin
    #pragma hicuda global alloc data_real[*] copyin
    #pragma hicuda global alloc data_im[*] copyin
    #pragma hicuda kernel weigh_samples tblock((samples + BLOCK - 1) / BLOCK) thread(BLOCK)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int k = 0; k < samples; k++) {
        rho_real[k] = phi_real[k] * data_real[k] + phi_im[k] * data_im[k];
        rho_im[k] = phi_real[k] * data_im[k] - phi_im[k] * data_real[k];
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free phi_real phi_im data_real data_im
}

/* At each voxel the sum over all samples, in their order. */
static void compute_fhd(const struct run *run, const float *restrict rho_real,
                        const float *restrict rho_im)
{
    const int voxels = run->voxels, samples = run->samples;
    const float *x = run->x, *y = run->y, *z = run->z;
    const float *kx = run->kx, *ky = run->ky, *kz = run->kz;
    float *fhd_real = run->fhd_real, *fhd_im = run->fhd_im;

    #pragma hicuda shape x[voxels]
    #pragma hicuda shape y[voxels]
    #pragma hicuda shape z[voxels]
    #pragma hicuda shape kx[samples]
    #pragma hicuda shape ky[samples]
    #pragma hicuda shape kz[samples]
    #pragma hicuda shape fhd_real[voxels]
    #pragma hicuda shape fhd_im[voxels]
    #pragma hicuda global alloc x[*] copyin
    #pragma hicuda global alloc y[*] copyin
    #pragma hicuda global alloc z[*] copyin
    #pragma hicuda global alloc kx[*] copyin
    #pragma hicuda global alloc ky[*] copyin
    #pragma hicuda global alloc kz[*] copyin
    #pragma hicuda global alloc fhd_real[*]
    #pragma hicuda global alloc fhd_im[*]
    #pragma hicuda kernel sum_samples tblock((voxels + BLOCK - 1) / BLOCK) thread(BLOCK)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < voxels; i++) {
        const float own_x = x[i], own_y = y[i], own_z = z[i];
        float real = 0.0f, im = 0.0f;
        for (int k = 0; k < samples; k++) {
            const float phase = TWO_PI * (kx[k] * own_x + ky[k] * own_y + kz[k] * own_z);
            const float cosine = cosf(phase), sine = sinf(phase);
            real += rho_real[k] * cosine - rho_im[k] * sine;
            im += rho_im[k] * cosine + rho_real[k] * sine;
        }
        fhd_real[i] = real;
        fhd_im[i] = im;
    }
    #pragma hicuda kernel_end
    #pragma hicuda global copyout fhd_real[*]
    #pragma hicuda global copyout fhd_im[*]
    #pragma hicuda global free x y z kx ky kz fhd_real fhd_im
}

/* Both; between them the weighed samples exist on the device only. */
static void reconstruct(const struct run *run)
{
    const int samples = run->samples;
    float *rho_real = grid_allocate((size_t)samples), *rho_im = grid_allocate((size_t)samples);

    #pragma hicuda shape rho_real[samples]
    #pragma hicuda shape rho_im[samples]
    #pragma hicuda global alloc rho_real[*]
    #pragma hicuda global alloc rho_im[*]
    weigh(run, rho_real, rho_im);
    compute_fhd(run, rho_real, rho_im);
    #pragma hicuda global free rho_real rho_im
    free(rho_real);
    free(rho_im);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    reconstruct(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
