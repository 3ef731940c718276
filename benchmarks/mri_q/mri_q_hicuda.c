/*
 * Reconstruction of magnetic resonance images, the matrix Q. The hiCUDA form.
 *
 * A kernel squares the sensitivities; another adds up BATCH samples at each voxel, which all threads
 * read at once from constant memory.
 *
 * usage: mri_q_hicuda VOXELS SAMPLES SEED [OUTPUT]
 */
#include "../common/clock.h"

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

/* The squares of the sensitivities. */
static void square(int samples, const float *restrict phi_real, const float *restrict phi_im,
                   float *restrict magnitudes)
{
    #pragma hicuda shape phi_real[samples]
    #pragma hicuda shape phi_im[samples]
    #pragma hicuda shape magnitudes[samples]
    #pragma hicuda global alloc phi_real[*] copyin
    #pragma hicuda global alloc phi_im[*] copyin
    #pragma hicuda global alloc magnitudes[*]
    #pragma hicuda kernel square_phi tblock((samples + BLOCK - 1) / BLOCK) thread(BLOCK)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int k = 0; k < samples; k++)
        magnitudes[k] = phi_real[k] * phi_real[k] + phi_im[k] * phi_im[k];
    #pragma hicuda kernel_end
    #pragma hicuda global copyout magnitudes[*]
    #pragma hicuda global free phi_real phi_im magnitudes
}

/* The samples `first` to `first + count - 1` with the squares of their sensitivities. */
static void pack(const struct run *run, const float *restrict magnitudes, int first, int count,
                 struct sample *restrict batch)
{
    for (int k = 0; k < count; k++) {
        batch[k].kx = run->kx[first + k];
        batch[k].ky = run->ky[first + k];
        batch[k].kz = run->kz[first + k];
        batch[k].magnitude = magnitudes[first + k];
    }
}

/* At each voxel the sum over all samples, in their order. */
static void compute_q(const struct run *run, const float *restrict magnitudes)
{
    static struct sample batch[BATCH];
    const int voxels = run->voxels;
    const float *restrict xs = run->x, *restrict ys = run->y, *restrict zs = run->z;
    float *restrict q_real = run->q_real, *restrict q_im = run->q_im;

    #pragma hicuda shape xs[voxels]
    #pragma hicuda shape ys[voxels]
    #pragma hicuda shape zs[voxels]
    #pragma hicuda shape q_real[voxels]
    #pragma hicuda shape q_im[voxels]
    #pragma hicuda global alloc xs[*] copyin
    #pragma hicuda global alloc ys[*] copyin
    #pragma hicuda global alloc zs[*] copyin
    #pragma hicuda global alloc q_real[*] clear
    #pragma hicuda global alloc q_im[*] clear
    for (int first = 0; first < run->samples; first += BATCH) {
        const int count = run->samples - first < BATCH ? run->samples - first : BATCH;
        pack(run, magnitudes, first, count, batch);
        #pragma hicuda constant copyin batch[*]
        #pragma hicuda kernel add_batch tblock((voxels + BLOCK - 1) / BLOCK) thread(BLOCK)
        #pragma hicuda loop_partition over_tblock over_thread
        for (int i = 0; i < voxels; i++) {
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
        #pragma hicuda kernel_end
        #pragma hicuda constant remove batch
    }
    #pragma hicuda global copyout q_real[*]
    #pragma hicuda global copyout q_im[*]
    #pragma hicuda global free xs ys zs q_real q_im
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    float *magnitudes = grid_allocate((size_t)run.samples);
    const double start = clock_seconds();
    square(run.samples, run.phi_real, run.phi_im, magnitudes);
    compute_q(&run, magnitudes);
    run_finish(&run, clock_seconds() - start);
    free(magnitudes);
    return 0;
}
