/*
 * Reconstruction of magnetic resonance images, the matrix Q. The serial form.
 *
 * usage: mri_q_serial VOXELS SAMPLES SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "scan.h"

/* The samples with the squares of their sensitivities. */
static void weigh(const struct run *run, struct sample *restrict samples)
{
    for (int k = 0; k < run->samples; k++) {
        const float real = run->phi_real[k], im = run->phi_im[k];
        samples[k].kx = run->kx[k];
        samples[k].ky = run->ky[k];
        samples[k].kz = run->kz[k];
        samples[k].magnitude = real * real + im * im;
    }
}

/* At each voxel the sum over all samples, in their order. */
static void compute_q(const struct run *run, const struct sample *restrict samples)
{
    for (int i = 0; i < run->voxels; i++) {
        const float x = run->x[i], y = run->y[i], z = run->z[i];
        float real = run->q_real[i], im = run->q_im[i];
        for (int k = 0; k < run->samples; k++) {
            const struct sample at = samples[k];
            const float phase = TWO_PI * (at.kx * x + at.ky * y + at.kz * z);
            real += at.magnitude * cosf(phase);
            im += at.magnitude * sinf(phase);
        }
        run->q_real[i] = real;
        run->q_im[i] = im;
    }
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
