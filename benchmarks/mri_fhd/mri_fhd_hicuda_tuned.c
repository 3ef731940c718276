/*
 * Reconstruction of magnetic resonance images, the vector FHd. The tuned hiCUDA form.
 *
 * Samples go through constant memory, BATCH at a time, whence a warp gets one in a single access; the
 * loop over them is unrolled, and sums stay in registers. The host packs a batch while the device adds
 * up the one before.
 *
 * usage: mri_fhd_hicuda_tuned VOXELS SAMPLES SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "scan.h"

#ifndef BATCH
#define BATCH 1024 /* samples in constant memory */
#endif
#ifndef BLOCK
#define BLOCK 256 /* threads of a block */
#endif
#define UNROLL 4
#if BATCH < UNROLL || BATCH > 3072 || BATCH % UNROLL != 0 || BLOCK < 1 || BLOCK > 1024
#error "a batch has 4 to 3072 samples, a multiple of 4, and a block 1 to 1024 threads"
#endif

/* What was measured, times the conjugate of the sensitivity. */
static void weigh(const struct run *run, float *restrict rho_real, float *restrict rho_im)
{
    const int samples = run->samples;
    const float *phi_real = run->phi_real, *phi_im = run->phi_im;
    const float *data_real = run->data_real, *data_im = run->data_im;

    #pragma hicuda shape phi_real[samples]
    #pragma hicuda shape phi_im[samples]
    #pragma hicuda shape data_real[samples]
    #pragma hicuda shape data_im[samples]
    #pragma hicuda shape rho_real[samples]
    #pragma hicuda shape rho_im[samples]
    #pragma hicuda global alloc phi_real[*] copyin
    #pragma hicuda global alloc phi_im[*] copyin
    #pragma hicuda global alloc data_real[*] copyin
    #pragma hicuda global alloc data_im[*] copyin
    #pragma hicuda global alloc rho_real[*]
    #pragma hicuda global alloc rho_im[*]
    #pragma hicuda kernel weigh_samples tblock((samples + BLOCK - 1) / BLOCK) thread(BLOCK)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int k = 0; k < samples; k++) {
        const float own_real = phi_real[k], own_im = phi_im[k];
        const float measured_real = data_real[k], measured_im = data_im[k];
        rho_real[k] = own_real * measured_real + own_im * measured_im;
        rho_im[k] = own_real * measured_im - own_im * measured_real;
    }
    #pragma hicuda kernel_end
    #pragma hicuda global copyout rho_real[*]
    #pragma hicuda global copyout rho_im[*]
    #pragma hicuda global free phi_real phi_im data_real data_im rho_real rho_im
}

/*
 * Packs the samples from `first` on, BATCH at most, and fills them up with some of no weight to a
 * multiple of UNROLL. Returns how many there are then.
 */
static int pack(const struct run *run, const float *restrict rho_real,
                const float *restrict rho_im, int first, struct sample *restrict batch)
{
    const struct sample none = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    int k;

    for (k = 0; k < BATCH && first + k < run->samples; k++) {
        batch[k].kx = run->kx[first + k];
        batch[k].ky = run->ky[first + k];
        batch[k].kz = run->kz[first + k];
        batch[k].rho_real = rho_real[first + k];
        batch[k].rho_im = rho_im[first + k];
    }
    for (; k % UNROLL != 0; k++)
        batch[k] = none;
    return k;
}

/* At each voxel the sum over all samples, in their order. */
static void compute_fhd(const struct run *run, const float *restrict rho_real,
                        const float *restrict rho_im)
{
    static struct sample batch[BATCH];
    const int voxels = run->voxels;
    const float *xs = run->x, *ys = run->y, *zs = run->z;
    float *fhd_real = run->fhd_real, *fhd_im = run->fhd_im;

    #pragma hicuda shape xs[voxels]
    #pragma hicuda shape ys[voxels]
    #pragma hicuda shape zs[voxels]
    #pragma hicuda shape fhd_real[voxels]
    #pragma hicuda shape fhd_im[voxels]
    #pragma hicuda global alloc xs[*] copyin
    #pragma hicuda global alloc ys[*] copyin
    #pragma hicuda global alloc zs[*] copyin
    #pragma hicuda global alloc fhd_real[*] clear
    #pragma hicuda global alloc fhd_im[*] clear
    int count = pack(run, rho_real, rho_im, 0, batch);
    for (int next = BATCH; count > 0; next += BATCH) {
        #pragma hicuda constant copyin batch[*]
        #pragma hicuda kernel add_batch tblock((voxels + BLOCK - 1) / BLOCK) thread(BLOCK) nowait
        #pragma hicuda loop_partition over_tblock over_thread
        for (int i = 0; i < voxels; i++) {
            const float x = xs[i], y = ys[i], z = zs[i];
            float real = fhd_real[i], im = fhd_im[i];
            for (int begin = 0; begin < count; begin += UNROLL) {
                for (int k = begin; k < begin + UNROLL; k++) {
                    const struct sample at = batch[k];
                    const float phase = TWO_PI * (at.kx * x + at.ky * y + at.kz * z);
                    const float cosine = cosf(phase), sine = sinf(phase);
                    real += at.rho_real * cosine - at.rho_im * sine;
                    im += at.rho_im * cosine + at.rho_real * sine;
                }
            }
            fhd_real[i] = real;
            fhd_im[i] = im;
        }
        #pragma hicuda kernel_end
        count = pack(run, rho_real, rho_im, next, batch); /* none after the last */
        #pragma hicuda constant remove batch
    }
    #pragma hicuda global copyout fhd_real[*]
    #pragma hicuda global copyout fhd_im[*]
    #pragma hicuda global free xs ys zs fhd_real fhd_im
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
