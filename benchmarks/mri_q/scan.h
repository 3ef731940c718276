/*
 * A scan in k-space, the voxels of its image, and the input of a run: shared by all forms of mri_q.
 */
#ifndef BENCHMARKS_MRI_Q_SCAN_H
#define BENCHMARKS_MRI_Q_SCAN_H

#include <math.h>

#include "../common/grid.h"

#define TWO_PI 6.2831853f

/* A place in k-space with the square of the sensitivity there. */
struct sample {
    float kx, ky, kz;
    float magnitude;
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int voxels, samples;
    float *x, *y, *z;         /* of each voxel */
    float *kx, *ky, *kz;      /* of each sample */
    float *phi_real, *phi_im; /* sensitivity at each sample */
    float *q_real, *q_im;     /* the result at each voxel, zero before */
    const char *output;       /* file for it; NULL: none is asked for */
};

static inline float *random_grid(int count, float low, float high, uint64_t *seed)
{
    float *values = grid_allocate((size_t)count);
    for (int i = 0; i < count; i++)
        values[i] = low + (high - low) * random_float(seed);
    return values;
}

/*
 * VOXELS SAMPLES SEED [OUTPUT]: voxels of a cube of side 1, a spatial frequency of 16 at most, and
 * sensitivities whose squares come to 1 at most.
 */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        fail("usage: %s VOXELS SAMPLES SEED [OUTPUT]", argv[0]);
    struct run run;
    run.voxels = number_argument(argv[1], 1, 1 << 24, "voxels");
    run.samples = number_argument(argv[2], 1, 1 << 20, "samples");
    uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
    run.output = argc == 5 ? argv[4] : NULL;
    run.x = random_grid(run.voxels, -0.5f, 0.5f, &seed);
    run.y = random_grid(run.voxels, -0.5f, 0.5f, &seed);
    run.z = random_grid(run.voxels, -0.5f, 0.5f, &seed);
    run.kx = random_grid(run.samples, -16.0f, 16.0f, &seed);
    run.ky = random_grid(run.samples, -16.0f, 16.0f, &seed);
    run.kz = random_grid(run.samples, -16.0f, 16.0f, &seed);
    const float most = sqrtf(0.5f / (float)run.samples);
    run.phi_real = random_grid(run.samples, -most, most, &seed);
    run.phi_im = random_grid(run.samples, -most, most, &seed);
    run.q_real = random_grid(run.voxels, 0.0f, 0.0f, &seed);
    run.q_im = random_grid(run.voxels, 0.0f, 0.0f, &seed);
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees everything. */
static inline void run_finish(const struct run *run, double seconds)
{
    const size_t voxels = (size_t)run->voxels;
    printf("mri_q %d voxels, %d samples: checksum %016llx\n", run->voxels, run->samples,
           checksum(run->q_real, voxels, sizeof *run->q_real) ^
               checksum(run->q_im, voxels, sizeof *run->q_im));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        grid_print(file, run->q_real, voxels);
        grid_print(file, run->q_im, voxels);
        output_close(file, run->output);
    }
    float *const all[] = {run->x,        run->y,      run->z,      run->kx,  run->ky, run->kz,
                          run->phi_real, run->phi_im, run->q_real, run->q_im};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

#endif
