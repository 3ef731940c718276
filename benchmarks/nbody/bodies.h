/*
 * The bodies that attract each other, the law they follow, and the input of a run: shared by all
 * forms of nbody.
 *
 * All pairs are computed; the distance is softened, so that a body may meet itself in the sum, where
 * it adds nothing.
 */
#ifndef BENCHMARKS_NBODY_BODIES_H
#define BENCHMARKS_NBODY_BODIES_H

#include <math.h>

#include "../common/program.h"

#define SOFTENING 0.01f /* added to the square of every distance */
#define TIME_STEP 0.001f

struct body {
    float x, y, z;
    float mass;
};

struct vector {
    float x, y, z;
};

/* A run as the command line gives it, its input in memory. */
struct run {
    int count, steps;
    struct body *bodies;
    struct vector *velocities;
    const char *output; /* file for positions and velocities; NULL: none is asked for */
};

/* `sum` and the acceleration that `other` causes at `here`. */
ON_DEVICE static inline struct vector attracted(struct vector sum, struct body here,
                                                struct body other)
{
    const float x = other.x - here.x, y = other.y - here.y, z = other.z - here.z;
    const float inverse = 1.0f / sqrtf(x * x + y * y + z * z + SOFTENING);
    const float strength = other.mass * inverse * inverse * inverse;
    sum.x += x * strength;
    sum.y += y * strength;
    sum.z += z * strength;
    return sum;
}

/* BODIES STEPS SEED [OUTPUT]: bodies of mass 1 / BODIES on the average, in a cube of side 2. */
static inline struct run run_arguments(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        fail("usage: %s BODIES STEPS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.count = number_argument(argv[1], 1, 1 << 24, "bodies");
    run.steps = number_argument(argv[2], 0, 1000000, "steps");
    uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
    run.output = argc == 5 ? argv[4] : NULL;
    run.bodies = (struct body *)allocate((size_t)run.count, sizeof *run.bodies);
    run.velocities = (struct vector *)allocate((size_t)run.count, sizeof *run.velocities);
    for (int i = 0; i < run.count; i++) {
        run.bodies[i].x = 2.0f * random_float(&seed) - 1.0f;
        run.bodies[i].y = 2.0f * random_float(&seed) - 1.0f;
        run.bodies[i].z = 2.0f * random_float(&seed) - 1.0f;
        run.bodies[i].mass = (0.5f + random_float(&seed)) / (float)run.count;
        run.velocities[i].x = random_float(&seed) - 0.5f;
        run.velocities[i].y = random_float(&seed) - 0.5f;
        run.velocities[i].z = random_float(&seed) - 0.5f;
    }
    return run;
}

/* The result line, the time on a line of its own, and the output file; frees the bodies. */
static inline void run_finish(const struct run *run, double seconds)
{
    printf("nbody %d, %d steps: checksum %016llx\n", run->count, run->steps,
           checksum(run->bodies, (size_t)run->count, sizeof *run->bodies));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (int i = 0; i < run->count; i++) {
            const struct body at = run->bodies[i];
            const struct vector velocity = run->velocities[i];
            fprintf(file, "%.9g %.9g %.9g %.9g %.9g %.9g\n", at.x, at.y, at.z, velocity.x,
                    velocity.y, velocity.z);
        }
        output_close(file, run->output);
    }
    free(run->bodies);
    free(run->velocities);
}

#endif
