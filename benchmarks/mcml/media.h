/*
 * Tissue in layers, as mcml's photons find it, and the input and output of a run.
 *
 * The functions of media.c and run.c are in every form of the program.
 */
#ifndef BENCHMARKS_MCML_MEDIA_H
#define BENCHMARKS_MCML_MEDIA_H

#include "../common/program.h"

#define MOST_LAYERS 8
#define DEPTHS 40  /* rows of the grid of absorption, from the surface down */
#define RINGS 32   /* its columns, around the beam */
#define STEP 0.02f /* height of a row and width of a ring, in cm */
#define COPIES 512 /* of the grid: photons that share one are simulated one after the other */

/* Number 0 and the one after the last are what is outside. */
struct layer {
    float from, to;   /* depths, in cm */
    float absorption; /* per cm, as is the next */
    float scattering;
    float anisotropy; /* mean cosine of the angle of scattering */
    float index;      /* of refraction */
};

/* Between layers of numbers n and n + 1: cosines at or below which all light is reflected. */
struct surface {
    float down, up; /* of light from n, and from n + 1 */
};

/* Absorption by depth and distance from the beam. */
typedef float absorption_grid[DEPTHS][RINGS];

/* A run as the command line gives it, its input in memory. */
struct run {
    int photons, layers;
    int seed;
    struct layer layer[MOST_LAYERS + 2];
    struct surface surface[MOST_LAYERS + 1];
    absorption_grid *absorbed; /* COPIES of it, zero before; the first gets the sum of all */
    const char *output;        /* file for it; NULL: none is asked for */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Makes up so many layers between air and air, and the surfaces between them. */
void media_make(int layers, int seed, struct layer *layer, struct surface *surface);

/* PHOTONS LAYERS SEED [OUTPUT] */
struct run run_arguments(int argc, char **argv);

/* The result line, the time on a line of its own, and the output file; frees the grids. */
void run_finish(const struct run *run, double seconds);

#ifdef __cplusplus
}
#endif

#endif
