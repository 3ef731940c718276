/*
 * Reconstruction of magnetic resonance images, the vector FHd. The serial form.
 *
 * usage: mri_fhd_serial VOXELS SAMPLES SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "scan.h"

/* What was measured, times the conjugate of the sensitivity. */
static void weigh(const struct run *run, float *restrict rho_real, float *restrict rho_im)
{
    for (int k = 0; k < run->samples; k++) {
        const float phi_real = run->phi_real[k], phi_im = run->phi_im[k];
        const float data_real = run->data_real[k], data_im = run->data_im[k];
        rho_real[k] = phi_real * data_real + phi_im * data_im;
        rho_im[k] = phi_real * data_im - phi_im * data_real;
    }
}

/* At each voxel the sum over all samples, in their order. */
static void compute_fhd(const struct run *run, const float *restrict rho_real,
                        const float *restrict rho_im)
{
    for (int i = 0; i < run->voxels; i++) {
        const float x = run->x[i], y = run->y[i], z = run->z[i];
        float real = run->fhd_real[i], im = run->fhd_im[i];
        for (int k = 0; k < run->samples; k++) {
            const float phase = TWO_PI * (run->kx[k] * x + run->ky[k] * y + run->kz[k] * z);
            const float cosine = cosf(phase), sine = sinf(phase);
            real += rho_real[k] * cosine - rho_im[k] * sine;
            im += rho_im[k] * cosine + rho_real[k] * sine;
        }
        run->fhd_real[i] = real;
        run->fhd_im[i] = im;
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    float *rho_real = grid_allocate((size_t)run.samples);
    float *rho_im = grid_allocate((size_t)run.samples);
    const double start = clock_seconds();
    weigh(&run, rho_real, rho_im);
    compute_fhd(&run, rho_real, rho_im);
    run_finish(&run, clock_seconds() - start);
    free(rho_real);
    free(rho_im);
    return 0;
}
