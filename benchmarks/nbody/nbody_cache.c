/*
 * N-body: bodies attract each other, all pairs, by leapfrog steps. The cache form.
 *
 * As the fcw form, with the standard's directive: it promises nothing that the program relies on.
 *
 * usage: nbody_cache BODIES STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "bodies.h"

#ifndef TILE
#define TILE 256 /* bodies that a block fetches at a time */
#endif
#ifndef BLOCK
#define BLOCK TILE /* threads of a block */
#endif
#if TILE < 1 || BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads, a tile at least one body"
#endif

/* What each body feels from all of them, in their order. */
static void attract(int count, const struct body *restrict bodies,
                    struct vector *restrict accelerations)
{
    #pragma acc kernels present(bodies, accelerations)
    #pragma acc loop independent vector(BLOCK)
    for (int i = 0; i < count; i++) {
        const struct body here = bodies[i];
        struct vector sum = {0.0f, 0.0f, 0.0f};
        for (int first = 0; first < count; first += TILE) {
            #pragma acc cache(bodies[first:TILE])
            const int end = first + TILE < count ? first + TILE : count; /* the last is partial */
            for (int j = first; j < end; j++)
                sum = attracted(sum, here, bodies[j]);
        }
        accelerations[i] = sum;
    }
}

/* One step in time: the velocities first, then the places with them. */
static void move(int count, const struct vector *restrict accelerations,
                 struct vector *restrict velocities, struct body *restrict bodies)
{
    #pragma acc parallel loop present(accelerations, velocities, bodies)
    for (int i = 0; i < count; i++) {
        struct vector velocity = velocities[i];
        velocity.x += TIME_STEP * accelerations[i].x;
        velocity.y += TIME_STEP * accelerations[i].y;
        velocity.z += TIME_STEP * accelerations[i].z;
        bodies[i].x += TIME_STEP * velocity.x;
        bodies[i].y += TIME_STEP * velocity.y;
        bodies[i].z += TIME_STEP * velocity.z;
        velocities[i] = velocity;
    }
}

/* All steps on the device. */
static void simulate(int count, int steps, struct body *bodies, struct vector *velocities,
                     struct vector *accelerations)
{
    #pragma acc data copy(bodies[0:count], velocities[0:count]) create(accelerations[0:count])
    for (int step = 0; step < steps; step++) {
        attract(count, bodies, accelerations);
        move(count, accelerations, velocities, bodies);
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    struct vector *accelerations =
        (struct vector *)allocate((size_t)run.count, sizeof *accelerations);
    const double start = clock_seconds();
    simulate(run.count, run.steps, run.bodies, run.velocities, accelerations);
    run_finish(&run, clock_seconds() - start);
    free(accelerations);
    return 0;
}
